#include "base/file.h"

#include <cerrno>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/system_error.h"
#include "base/temporary_name.h"

namespace reckon::base {
namespace {

constexpr size_t kBufferBytes = 1 << 16;

Error OsError(std::string what, const std::filesystem::path& path) {
  const int code = errno;
  const ErrorCode kind = code == ENOENT || code == ENOTDIR ? ErrorCode::kNotFound : ErrorCode::kIo;
  return Error(kind, std::generic_category().message(code))
      .Wrap(fmt::format("{} '{}'", what, path.string()));
}

std::filesystem::path FolderOf(const std::filesystem::path& path) {
  return path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
}

// Calls `make` with names beside `path` until one is free; -1 and errno when it cannot.
template <typename Make>
int MakeBeside(const std::filesystem::path& path, std::string& name, const Make& make) {
  constexpr uint32_t kMostAttempts = 10'000;
  for (uint32_t attempt = 0; attempt < kMostAttempts;) {
    name = TemporaryName(path, attempt);
    const int made = make(name.c_str());
    if (made >= 0 || errno != EEXIST) return made;
    if (!RemoveIfAbandoned(name)) ++attempt;
  }
  errno = EEXIST;
  return -1;
}

// -1 with EEXIST also when another one took the new file for an abandoned one.
int CreateHeld(const char* name, mode_t mode) {
  const int descriptor = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
  if (descriptor < 0) return -1;
  struct stat info {};
  if (HoldTemporary(descriptor) && fstat(descriptor, &info) == 0 && info.st_nlink > 0) {
    return descriptor;
  }
  close(descriptor);
  errno = EEXIST;
  return -1;
}

std::string DescriptorPath(int descriptor) { return fmt::format("/proc/self/fd/{}", descriptor); }

// A file without a name in the folder of `path`: whatever kills the process, nothing stays behind
// (but for the moment between naming and renaming when a file is replaced).
// -1 where the file system or a missing /proc does not allow it.
int OpenNameless(const std::filesystem::path& path, mode_t mode) {
  const int descriptor = open(FolderOf(path).c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, mode);
  if (descriptor >= 0 && access(DescriptorPath(descriptor).c_str(), F_OK) != 0) {
    close(descriptor);
    return -1;
  }
  if (descriptor >= 0) (void)HoldTemporary(descriptor);  // before it gets a name
  return descriptor;
}

bool SameFile(const struct stat& a, const struct stat& b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

// What standard output is connected to must be written through it: a file renamed over the one that
// the shell opened would leave the shell with the old one.
bool IsStandardOutputFile(const struct stat& target) {
  struct stat out {};
  return fstat(STDOUT_FILENO, &out) == 0 && SameFile(target, out);
}

// Where a link points, also when nothing is there; whatever else as it is.
std::filesystem::path FollowLinks(std::filesystem::path path) {
  constexpr int kMostLinks = 40;
  std::error_code failed;
  for (int i = 0; i < kMostLinks && std::filesystem::is_symlink(path, failed); ++i) {
    const std::filesystem::path next = std::filesystem::read_symlink(path, failed);
    if (failed) break;
    path = path.parent_path() / next;
  }
  return path;
}

Status WriteAll(int descriptor, std::string_view text, const std::filesystem::path& path) {
  while (!text.empty()) {
    const ssize_t written = write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return OsError("cannot write", path);
    text.remove_prefix(static_cast<size_t>(written));
  }
  return {};
}

}  // namespace

bool IsStandardOutput(const std::filesystem::path& path) {
  struct stat existing {};
  return path == "-" || (stat(path.c_str(), &existing) == 0 && IsStandardOutputFile(existing));
}

Result<std::string> ReadFile(const std::filesystem::path& path) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return OsError("cannot open", path);
  std::string text;
  for (;;) {
    const size_t old_size = text.size();
    text.resize(old_size + kBufferBytes);
    const ssize_t got = read(descriptor, text.data() + old_size, kBufferBytes);
    if (got < 0 && errno == EINTR) {
      text.resize(old_size);
      continue;
    }
    if (got < 0) {
      Error error = OsError("cannot read", path);
      close(descriptor);
      return error;
    }
    text.resize(old_size + static_cast<size_t>(got));
    if (got == 0) break;
  }
  close(descriptor);
  return text;
}

Result<std::string> ReadPiece(const std::filesystem::path& path, uint64_t offset, size_t most) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return OsError("cannot open", path);
  std::string text(most, '\0');
  size_t have = 0;
  ssize_t got = 1;
  while (have < most && got != 0) {
    got = pread(descriptor, text.data() + have, most - have, static_cast<off_t>(offset + have));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) {
      Error error = OsError("cannot read", path);
      close(descriptor);
      return error;
    }
    have += static_cast<size_t>(got);
  }
  close(descriptor);
  text.resize(have);
  return text;
}

Status WriteControl(const std::filesystem::path& path, std::string_view text) {
  const int descriptor = open(path.c_str(), O_WRONLY | O_CLOEXEC);
  const bool written = descriptor >= 0 && write(descriptor, text.data(), text.size()) ==
                                              static_cast<ssize_t>(text.size());
  const int code = errno;
  if (descriptor >= 0) close(descriptor);
  if (written) return {};
  return SystemError(fmt::format("cannot write '{}' to {}", text, path.string()), code);
}

AtomicFile::AtomicFile(std::filesystem::path path, Place place, int descriptor)
    : path_(std::move(path)), place_(place), descriptor_(descriptor) {}

AtomicFile::AtomicFile(AtomicFile&& other) noexcept
    : path_(std::move(other.path_)),
      temporary_(std::move(other.temporary_)),
      place_(other.place_),
      descriptor_(std::exchange(other.descriptor_, -1)),
      buffer_(std::move(other.buffer_)),
      broken_(other.broken_) {}

AtomicFile::~AtomicFile() {
  if (descriptor_ < 0) return;
  close(descriptor_);
  if (!temporary_.empty()) unlink(temporary_.c_str());
}

Result<AtomicFile> AtomicFile::Create(const std::filesystem::path& wanted, unsigned new_mode) {
  struct stat existing {};
  const bool exists = stat(wanted.c_str(), &existing) == 0;
  if (wanted == "-" || (exists && IsStandardOutputFile(existing))) {
    const int descriptor = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
    if (descriptor < 0) return OsError("cannot write", wanted);
    return AtomicFile(wanted, Place::kDirect, descriptor);
  }
  if (exists && !S_ISREG(existing.st_mode)) {
    if (S_ISDIR(existing.st_mode)) {
      return BadInput(
          fmt::format("'{}' is a folder; expected the name of a file", wanted.string()));
    }
    const int descriptor = open(wanted.c_str(), O_WRONLY | O_CLOEXEC);
    if (descriptor < 0) return OsError("cannot write", wanted);
    return AtomicFile(wanted, Place::kDirect, descriptor);
  }
  // A link stays; what it points to is replaced.
  const std::filesystem::path path = FollowLinks(wanted);
  const mode_t mode = exists ? existing.st_mode & 0777 : new_mode;
  AtomicFile file(path, Place::kNameless, OpenNameless(path, mode));
  if (file.descriptor_ < 0) {
    file.place_ = Place::kBeside;
    // Not mkostemp, whose files are private: giving them the mode of other new files would need the
    // umask, and that can only be read by changing it for all threads.
    file.descriptor_ = MakeBeside(path, file.temporary_,
                                  [mode](const char* name) { return CreateHeld(name, mode); });
    if (file.descriptor_ < 0) {
      file.temporary_.clear();
      return OsError("cannot write", path);
    }
  }
  // What is replaced keeps its mode, whatever the umask: a private file stays private.
  if (exists && fchmod(file.descriptor_, mode) != 0) return OsError("cannot write", path);
  return file;
}

Status AtomicFile::Append(std::string_view text) {
  buffer_ += text;
  return buffer_.size() < kBufferBytes ? Status() : Flush();
}

Status AtomicFile::Flush() {
  if (broken_) {
    return Error(ErrorCode::kIo, "an earlier write failed")
        .Wrap(fmt::format("cannot write '{}'", path_.string()));
  }
  Status written = WriteAll(descriptor_, buffer_, path_);
  buffer_.clear();
  broken_ = !written.ok();
  return written;
}

Status AtomicFile::Finish() {
  RECKON_TRY(Flush());
  if (place_ != Place::kDirect && fsync(descriptor_) != 0) return OsError("cannot write", path_);
  return {};
}

// Gives the nameless file a name: its own when that is free, otherwise one to be renamed.
Status AtomicFile::Name() {
  const std::string source = DescriptorPath(descriptor_);
  const auto link = [&source](const char* name) {
    return linkat(AT_FDCWD, source.c_str(), AT_FDCWD, name, AT_SYMLINK_FOLLOW);
  };
  if (link(path_.c_str()) == 0) return {};
  if (errno != EEXIST) return OsError("cannot write", path_);
  if (MakeBeside(path_, temporary_, link) < 0) {
    temporary_.clear();
    return OsError("cannot write", path_);
  }
  return {};
}

Status AtomicFile::Commit() {
  RECKON_TRY(Finish());
  if (place_ == Place::kNameless) RECKON_TRY(Name());
  if (!temporary_.empty()) {
    if (rename(temporary_.c_str(), path_.c_str()) != 0) return OsError("cannot write", path_);
    temporary_.clear();
  }
  close(std::exchange(descriptor_, -1));
  return {};
}

Status WriteFile(const std::filesystem::path& path, std::string_view text, unsigned mode) {
  RECKON_ASSIGN(AtomicFile file, AtomicFile::Create(path, mode));
  RECKON_TRY(file.Append(text));
  return file.Commit();
}

}  // namespace reckon::base
