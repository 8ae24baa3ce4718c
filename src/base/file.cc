#include "base/file.h"

#include <cerrno>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

namespace reckon::base {
namespace {

constexpr size_t kBufferBytes = 1 << 16;

Error OsError(std::string what, const std::filesystem::path& path) {
  const int code = errno;
  const ErrorCode kind = code == ENOENT || code == ENOTDIR ? ErrorCode::kNotFound : ErrorCode::kIo;
  return Error(kind, std::generic_category().message(code))
      .Wrap(fmt::format("{} '{}'", what, path.string()));
}

// Opens a new file beside `path` and puts its name into `name`; -1 and errno when it cannot.
int OpenBeside(const std::filesystem::path& path, mode_t mode, std::string& name) {
  for (;;) {
    uint32_t random = 0;
    if (getrandom(&random, sizeof(random), 0) < 0) return -1;
    name = fmt::format("{}.{:08x}", path.string(), random);
    // Not mkostemp, whose files are private: giving them the mode of other new files would need the
    // umask, and that can only be read by changing it for all threads.
    const int descriptor = open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (descriptor >= 0 || errno != EEXIST) return descriptor;
  }
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

AtomicFile::AtomicFile(std::filesystem::path path, std::filesystem::path temporary, int descriptor)
    : path_(std::move(path)), temporary_(std::move(temporary)), descriptor_(descriptor) {}

AtomicFile::AtomicFile(AtomicFile&& other) noexcept
    : path_(std::move(other.path_)),
      temporary_(std::move(other.temporary_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      buffer_(std::move(other.buffer_)),
      broken_(other.broken_) {}

AtomicFile::~AtomicFile() {
  if (descriptor_ < 0) return;
  close(descriptor_);
  if (!temporary_.empty()) unlink(temporary_.c_str());
}

Result<AtomicFile> AtomicFile::Create(const std::filesystem::path& path) {
  struct stat existing {};
  if (stat(path.c_str(), &existing) == 0 && !S_ISREG(existing.st_mode)) {
    if (S_ISDIR(existing.st_mode)) {
      return BadInput(fmt::format("'{}' is a folder; expected the name of a file", path.string()));
    }
    const int descriptor = open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (descriptor < 0) return OsError("cannot write", path);
    return AtomicFile(path, {}, descriptor);
  }
  const bool replaces = S_ISREG(existing.st_mode);
  const mode_t mode = replaces ? existing.st_mode & 0777 : 0666;
  std::string name;
  const int descriptor = OpenBeside(path, mode, name);
  if (descriptor < 0) return OsError("cannot write", path);
  AtomicFile file(path, name, descriptor);
  // What is replaced keeps its mode, whatever the umask: a private file stays private.
  if (replaces && fchmod(descriptor, mode) != 0) return OsError("cannot write", path);
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

Status AtomicFile::Commit() {
  RECKON_TRY(Flush());
  if (!temporary_.empty()) {
    if (fsync(descriptor_) != 0) return OsError("cannot write", path_);
    if (rename(temporary_.c_str(), path_.c_str()) != 0) return OsError("cannot write", path_);
    temporary_.clear();
  }
  close(std::exchange(descriptor_, -1));
  return {};
}

Status WriteFile(const std::filesystem::path& path, std::string_view text) {
  RECKON_ASSIGN(AtomicFile file, AtomicFile::Create(path));
  RECKON_TRY(file.Append(text));
  return file.Commit();
}

}  // namespace reckon::base
