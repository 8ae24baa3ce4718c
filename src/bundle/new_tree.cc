#include "bundle/new_tree.h"

#include <cerrno>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include "base/system_error.h"
#include "base/text.h"

namespace reckon::bundle {
namespace {

namespace fs = std::filesystem;
using base::Result;
using base::Status;

constexpr int kOpenFolder = O_RDONLY | O_DIRECTORY | O_CLOEXEC;
constexpr mode_t kFolderMode = 0755;
constexpr mode_t kFileMode = 0644;

}  // namespace

Result<NewTree> NewTree::In(const fs::path& folder) {
  std::error_code failed;
  if (!fs::is_empty(folder, failed) || !fs::is_directory(folder, failed)) {
    return base::BadInput(fmt::format("'{}' is not an empty folder", folder.string()));
  }
  Descriptor root(open(folder.c_str(), kOpenFolder));
  if (!root.ok()) {
    return base::SystemError(fmt::format("cannot write into '{}'", folder.string()));
  }
  return NewTree(folder, std::move(root));
}

base::Error NewTree::Failed(std::string_view name) const {
  const int code = errno;
  return base::SystemError(fmt::format("cannot write '{}'", (path_ / name).string()), code);
}

Result<Descriptor> NewTree::Folder(std::string_view name) const {
  Descriptor folder(openat(root_.get(), ".", kOpenFolder));
  if (!folder.ok()) return Failed(name);
  for (const std::string_view component : base::Split(name, '/')) {
    if (component.empty()) continue;
    const std::string below(component);
    const bool is_new = mkdirat(folder.get(), below.c_str(), kFolderMode) == 0;
    if (!is_new && errno != EEXIST) return Failed(name);
    Descriptor next(openat(folder.get(), below.c_str(), kOpenFolder | O_NOFOLLOW));
    // Whatever the umask, and the set-group bit of a folder above.
    if (!next.ok() || (is_new && fchmod(next.get(), kFolderMode) != 0)) return Failed(name);
    folder = std::move(next);
  }
  return folder;
}

Status NewTree::MakeFolder(std::string_view name) {
  RECKON_TRY(Folder(name));
  return {};
}

Status NewTree::BeginFile(const std::string& name, bool is_executable) {
  const size_t slash = name.rfind('/');
  const std::string above = slash == std::string::npos ? "" : name.substr(0, slash);
  const std::string leaf = slash == std::string::npos ? name : name.substr(slash + 1);
  RECKON_ASSIGN(const Descriptor folder, Folder(above));
  file_name_ = name;
  is_executable_ = is_executable;
  file_ = Descriptor(openat(folder.get(), leaf.c_str(),
                            O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!file_.ok()) return Failed(name);
  return {};
}

Status NewTree::Write(uint64_t at, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = pwrite(file_.get(), bytes.data(), bytes.size(), static_cast<off_t>(at));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return Failed(file_name_);
    at += static_cast<uint64_t>(count);
    bytes.remove_prefix(static_cast<size_t>(count));
  }
  return {};
}

Status NewTree::EndFile(uint64_t size) {
  const mode_t mode = is_executable_ ? kFolderMode : kFileMode;
  if (ftruncate(file_.get(), static_cast<off_t>(size)) != 0 || fchmod(file_.get(), mode) != 0 ||
      !file_.Close()) {
    return Failed(file_name_);
  }
  return {};
}

}  // namespace reckon::bundle
