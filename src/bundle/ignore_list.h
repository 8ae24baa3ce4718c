// What .reckonignore keeps out of a bundle; its format is in bundle.h.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "bundle/descriptor.h"

namespace reckon::bundle {

inline constexpr std::string_view kIgnoreFile = ".reckonignore";

class IgnoreList {
 public:
  // That of a folder, whose `path` is for messages; without the file nothing is named.
  static base::Result<IgnoreList> Of(const Descriptor& folder, const std::filesystem::path& path);

  // `name` from the folder on, "data/raw.bin". Asked on the way down: what is below a folder that
  // is named is not asked for.
  bool Names(const std::string& name, bool is_folder) const;

 private:
  struct Pattern {
    std::string text;
    bool only_folders = false;
    bool only_whole = false;  // not of the last component alone
  };
  std::vector<Pattern> patterns_;
};

}  // namespace reckon::bundle
