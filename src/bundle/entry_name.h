// Names in archives that anybody may have made.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>

#include "base/result.h"

namespace reckon::bundle {

// The name as it can be put below a folder: "./a//b/" is "a/b", "./" is "". kBadInput with what is
// wrong, to follow the name in a message ("leads out of its folder"): empty, absolute, with "..",
// control characters or backslashes, or longer than file systems take.
base::Result<std::string> PlainName(std::string_view name);

// For messages and terminals: what does not print is written as \x1b, and what is endless is cut.
std::string ShownName(std::string_view name);

// The files and folders that an archive has named so far, with the folders above them.
class NamesSeen {
 public:
  // `name` from PlainName, not empty. kBadInput, as above: it is a file that was there before, or a
  // file where a folder must be. A folder may come again.
  base::Status Add(const std::string& name, bool is_folder);
  uint64_t count() const { return files_.size() + folders_.size(); }

 private:
  using Names = std::set<std::string, std::less<>>;
  Names files_;
  Names folders_;  // with a folder, all above it
};

}  // namespace reckon::bundle
