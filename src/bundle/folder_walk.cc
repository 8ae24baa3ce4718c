#include "bundle/folder_walk.h"

#include <algorithm>
#include <cerrno>
#include <memory>
#include <utility>

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include "base/system_error.h"
#include "base/units.h"
#include "bundle/entry_name.h"
#include "bundle/ignore_list.h"
#include "bundle/open_below.h"

namespace reckon::bundle {
namespace {

namespace fs = std::filesystem;
using base::BadInput;
using base::Error;
using base::Result;
using base::Status;

struct CloseFolder {
  void operator()(DIR* folder) const { closedir(folder); }
};

std::string_view KindOf(mode_t mode) {
  if (S_ISSOCK(mode)) return "a socket";
  if (S_ISFIFO(mode)) return "a pipe";
  return "a device";
}

class Walk {
 public:
  Walk(const Descriptor& folder, fs::path root, fs::path bundle, IgnoreList ignored,
       const Limits& limits)
      : folder_(folder),
        root_(std::move(root)),
        bundle_(std::move(bundle)),
        ignored_(std::move(ignored)),
        limits_(limits) {}

  Result<std::vector<Found>> All(const std::stop_token& stop) {
    while (!folders_.empty()) {
      const std::string folder = std::move(folders_.back());
      folders_.pop_back();
      RECKON_TRY(LookInto(folder, stop));
    }
    std::sort(found_.begin(), found_.end(),
              [](const Found& a, const Found& b) { return a.name < b.name; });
    return std::move(found_);
  }

 private:
  Status LookInto(const std::string& name, const std::stop_token& stop);
  Status LookAt(const std::string& name, const std::string& leaf, struct stat info);
  Status Count(const Found& found, const struct stat& info);
  // Where a link leads, from the folder on; "" when that is outside.
  std::string TargetOf(const fs::path& link) const;

  Error CannotRead(const std::string& name) const {
    const int code = errno;
    return base::SystemError(fmt::format("cannot read '{}'", (root_ / name).string()), code);
  }
  Error Refused(const std::string& name, std::string_view why) const {
    return BadInput(fmt::format("'{}' {}; if it is not needed, name it in '{}'",
                                ShownName((root_ / name).string()), why,
                                (root_ / kIgnoreFile).string()));
  }
  Error TooMuch(const std::string& limit) const {
    return BadInput(fmt::format(
        "'{}' has more than {}, which is the limit: {} in {} files and folders so far, the largest "
        "is '{}' with {}; name what is not needed in '{}'",
        root_.string(), limit, base::FormatBytes(bytes_), found_.size(), ShownName(largest_),
        base::FormatBytes(largest_bytes_), (root_ / kIgnoreFile).string()));
  }

  const Descriptor& folder_;
  const fs::path root_;  // its path without links
  const fs::path bundle_;
  const IgnoreList ignored_;
  const Limits limits_;
  std::vector<std::string> folders_{""};  // still to be looked into
  std::vector<Found> found_;
  uint64_t bytes_ = 0;
  std::string largest_;
  uint64_t largest_bytes_ = 0;
};

Status Walk::LookInto(const std::string& name, const std::stop_token& stop) {
  Descriptor opened = OpenBelow(folder_, name, O_RDONLY | O_DIRECTORY);
  const std::unique_ptr<DIR, CloseFolder> folder(opened.ok() ? fdopendir(opened.get()) : nullptr);
  if (folder == nullptr) return CannotRead(name);
  opened.Release();
  for (;;) {
    if (stop.stop_requested()) {
      return Error(base::ErrorCode::kInterrupted,
                   fmt::format("interrupted while packing '{}'", root_.string()));
    }
    errno = 0;
    const dirent* const entry = readdir(folder.get());  // NOLINT(concurrency-mt-unsafe): ours alone
    if (entry == nullptr) return errno == 0 ? Status() : CannotRead(name);
    const std::string leaf = entry->d_name;
    if (leaf == "." || leaf == "..") continue;
    struct stat info {};
    const std::string below = name.empty() ? leaf : name + "/" + leaf;
    if (fstatat(dirfd(folder.get()), leaf.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) {
      return CannotRead(below);
    }
    RECKON_TRY(LookAt(below, leaf, info));
  }
}

Status Walk::LookAt(const std::string& name, const std::string& leaf, struct stat info) {
  const fs::path path = root_ / name;
  const bool is_link = S_ISLNK(info.st_mode);
  std::error_code broken;
  // For patterns of folders a link to one counts as one.
  const bool is_folder = is_link ? fs::is_directory(path, broken) : S_ISDIR(info.st_mode);
  // A checkout that belongs to another one has a file .git, with a path of this machine.
  if (leaf == ".git" || (leaf == "__pycache__" && is_folder) || path == bundle_ ||
      ignored_.Names(name, is_folder)) {
    return {};
  }
  const Result<std::string> plain = PlainName(name);
  if (!plain.ok()) return Refused(name, plain.error().message());
  Found found{name, name};
  if (is_link) {
    found.source = TargetOf(path);
    const Descriptor target = OpenBelow(folder_, found.source, O_PATH);
    if (found.source.empty() || !target.ok() || fstat(target.get(), &info) != 0 ||
        !S_ISREG(info.st_mode)) {
      return Refused(name, "is a symbolic link that does not lead to a file in this folder");
    }
  } else if (!S_ISDIR(info.st_mode) && !S_ISREG(info.st_mode)) {
    return Refused(name,
                   fmt::format("is {}; only files and folders are packed", KindOf(info.st_mode)));
  }
  found.is_folder = S_ISDIR(info.st_mode);
  if (found.is_folder) folders_.push_back(name);
  return Count(found, info);
}

Status Walk::Count(const Found& found, const struct stat& info) {
  const uint64_t bytes = found.is_folder ? 0 : static_cast<uint64_t>(info.st_size);
  bytes_ += bytes;
  if (largest_.empty() || bytes > largest_bytes_) {
    largest_ = found.name;
    largest_bytes_ = bytes;
  }
  found_.push_back(found);
  if (bytes_ > limits_.most_bytes) return TooMuch(base::FormatBytes(limits_.most_bytes));
  if (found_.size() <= limits_.most_files) return {};
  return TooMuch(fmt::format("{} files and folders", limits_.most_files));
}

std::string Walk::TargetOf(const fs::path& link) const {
  std::error_code failed;
  const fs::path target = fs::canonical(link, failed);
  if (failed) return "";
  const auto [above, below] =
      std::mismatch(root_.begin(), root_.end(), target.begin(), target.end());
  return above == root_.end() ? target.lexically_relative(root_).string() : "";
}

}  // namespace

Result<std::vector<Found>> FilesToPack(const Descriptor& folder, const fs::path& path,
                                       const fs::path& bundle, const Limits& limits,
                                       const std::stop_token& stop) {
  std::error_code failed;
  const fs::path root = fs::canonical(path, failed);
  if (failed) {
    return base::SystemError(fmt::format("cannot read '{}'", path.string()), failed.value());
  }
  RECKON_ASSIGN(IgnoreList ignored, IgnoreList::Of(folder, root));
  const fs::path own = fs::weakly_canonical(bundle, failed);
  return Walk(folder, root, failed ? fs::path() : own, std::move(ignored), limits).All(stop);
}

}  // namespace reckon::bundle
