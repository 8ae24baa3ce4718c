#include "base/folder.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"

namespace reckon::base {
namespace {

namespace fs = std::filesystem;

// "out/" and "out" are one folder; the name is needed to write beside it.
fs::path WithoutSlash(const fs::path& path) {
  return path.has_filename() ? path : path.parent_path();
}

Error Failed(const fs::path& path, std::string_view what, int code) {
  const ErrorCode kind = code == ENOENT || code == ENOTDIR ? ErrorCode::kNotFound : ErrorCode::kIo;
  return {kind, fmt::format("cannot {} folder '{}': {}", what, path.string(), std::strerror(code))};
}

// Names of new files are safe only when their folder is.
void FlushFolder(const fs::path& path) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  fsync(descriptor);
  close(descriptor);
}

}  // namespace

Status CheckFreeFolder(const fs::path& path, std::string_view option) {
  std::error_code failed;
  const fs::path name = WithoutSlash(path).filename();
  if (name.empty() || name == "." || name == "..") {
    return BadInput(fmt::format("{} {}: name a new folder, or an empty one by its name", option,
                                path.string()));
  }
  const fs::path above = fs::absolute(WithoutSlash(path), failed).parent_path();
  if (!fs::is_directory(above, failed)) {
    return BadInput(
        fmt::format("{} {}: there is no folder '{}'", option, path.string(), above.string()));
  }
  const fs::file_status status = fs::status(path, failed);
  if (!fs::exists(status)) return {};
  if (fs::is_directory(status) && fs::is_empty(path, failed) && !failed) return {};
  return BadInput(
      fmt::format("{} {} is there already; name a new or an empty folder", option, path.string()));
}

Result<AtomicFolder> AtomicFolder::Create(const fs::path& path) {
  const fs::path plain = WithoutSlash(path);
  fs::path beside = plain;
  beside.replace_filename("." + plain.filename().string() + ".XXXXXX");
  std::string name = beside.string();
  if (mkdtemp(name.data()) == nullptr) return Failed(plain, "make", errno);
  // mkdtemp is for secrets; results are for whom the user lets see new files.
  const mode_t mask = umask(0);
  umask(mask);
  chmod(name.c_str(), 0777 & ~mask);
  return AtomicFolder(plain, name);
}

AtomicFolder::AtomicFolder(fs::path path, fs::path temporary)
    : path_(std::move(path)), temporary_(std::move(temporary)) {}

AtomicFolder::AtomicFolder(AtomicFolder&& other) noexcept
    : path_(std::move(other.path_)), temporary_(std::exchange(other.temporary_, {})) {}

AtomicFolder::~AtomicFolder() {
  std::error_code ignored;
  if (!temporary_.empty()) fs::remove_all(temporary_, ignored);
}

Status AtomicFolder::Write(const std::string& name, std::string_view text) {
  return WriteFile(temporary_ / name, text);
}

Result<fs::path> AtomicFolder::MakeFolder(const std::string& name) {
  std::error_code failed;
  fs::path made = temporary_ / name;
  fs::create_directory(made, failed);
  if (!failed) return made;
  return Error(ErrorCode::kIo,
               fmt::format("cannot make '{}': {}", made.string(), failed.message()));
}

Status AtomicFolder::TakeIn(const fs::path& folder) {
  std::error_code failed;
  fs::rename(folder, temporary_ / folder.filename(), failed);
  if (!failed) return {};
  return Error(ErrorCode::kIo,
               fmt::format("cannot move '{}': {}", folder.string(), failed.message()));
}

Status AtomicFolder::Link(const fs::path& file) {
  std::error_code failed;
  fs::create_hard_link(file, temporary_ / file.filename(), failed);
  if (!failed) return {};
  return Error(ErrorCode::kIo,
               fmt::format("cannot link '{}': {}", file.string(), failed.message()));
}

Status AtomicFolder::Commit() {
  FlushFolder(temporary_);
  // Takes the place of an empty folder, and of nothing else.
  if (std::rename(temporary_.c_str(), path_.c_str()) != 0) return Failed(path_, "name", errno);
  temporary_.clear();
  FlushFolder(path_.has_parent_path() ? path_.parent_path() : fs::path("."));
  return {};
}

}  // namespace reckon::base
