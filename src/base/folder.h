// A folder of results that appears whole or not at all.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "base/result.h"

namespace reckon::base {

// kBadInput unless `path` is free (nothing of that name, or an empty folder) and the folder above
// is there. The name of an option ("-o") begins the message.
Status CheckFreeFolder(const std::filesystem::path& path, std::string_view option);

// Files are written in a folder beside, which gets its name with Commit; without Commit nothing
// stays behind. Not thread-safe.
class AtomicFolder {
 public:
  // kBadInput or kNotFound when the folder above is not there, kIo when it cannot be written to.
  static Result<AtomicFolder> Create(const std::filesystem::path& path);
  ~AtomicFolder();
  AtomicFolder(const AtomicFolder&) = delete;
  AtomicFolder& operator=(const AtomicFolder&) = delete;
  AtomicFolder(AtomicFolder&& other) noexcept;
  AtomicFolder& operator=(AtomicFolder&&) = delete;

  // `name` has no folders in it.
  Status Write(const std::string& name, std::string_view text);
  // A folder within, for others to fill before Commit; where it is until then.
  Result<std::filesystem::path> MakeFolder(const std::string& name);
  // A folder of the same file system is moved into it, with its name.
  Status TakeIn(const std::filesystem::path& folder);
  // A file of the same file system gets its name here too; its content is not copied.
  Status Link(const std::filesystem::path& file);
  // Fails when somebody has filled the folder of that name in the meantime.
  Status Commit();

 private:
  AtomicFolder(std::filesystem::path path, std::filesystem::path temporary);

  std::filesystem::path path_;
  std::filesystem::path temporary_;  // empty: committed or moved from
};

}  // namespace reckon::base
