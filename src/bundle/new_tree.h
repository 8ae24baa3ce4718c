// Files and folders made below a folder that was empty, never through a link. Not thread-safe.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.h"
#include "bundle/descriptor.h"

namespace reckon::bundle {

// Names are as PlainName gives them; folders above are made as needed. Errors are kIo.
class NewTree {
 public:
  // kBadInput unless it is an empty folder.
  static base::Result<NewTree> In(const std::filesystem::path& folder);

  base::Status MakeFolder(std::string_view name);
  // Then its content in any number of pieces, with zeros between them, then its end. One at a time.
  base::Status BeginFile(const std::string& name, bool is_executable);
  base::Status Write(uint64_t at, std::string_view bytes);
  base::Status EndFile(uint64_t size);

 private:
  NewTree(std::filesystem::path path, Descriptor root)
      : path_(std::move(path)), root_(std::move(root)) {}
  base::Result<Descriptor> Folder(std::string_view name) const;
  base::Error Failed(std::string_view name) const;

  std::filesystem::path path_;
  Descriptor root_;
  Descriptor file_;
  std::string file_name_;
  bool is_executable_ = false;
};

}  // namespace reckon::bundle
