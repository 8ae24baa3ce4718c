#include "bundle/input.h"

#include <cerrno>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include "base/system_error.h"

namespace reckon::bundle {

using base::Result;

Result<Input> Input::OfFile(const std::filesystem::path& path) {
  const std::string name = fmt::format("'{}'", path.string());
  // A pipe without a writer would keep us waiting.
  Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat info {};
  if (!file.ok() || fstat(file.get(), &info) != 0) {
    const int code = errno;
    if (code != ENOENT && code != ENOTDIR) return base::SystemError("cannot read " + name, code);
    return base::Error(base::ErrorCode::kNotFound,
                       fmt::format("cannot read {}: {}", name, base::SystemMessage(code)));
  }
  if (!S_ISREG(info.st_mode)) return base::BadInput(name + " is not a file");
  Input input(name, static_cast<uint64_t>(info.st_size));
  input.file_ = std::move(file);
  return input;
}

Input Input::OfBytes(std::string_view bytes) {
  Input input("the archive", bytes.size());
  input.bytes_ = bytes;
  return input;
}

Result<size_t> Input::ReadAt(uint64_t from, std::span<char> to) const {
  if (!file_.ok()) {
    if (from >= bytes_.size()) return size_t{0};
    return bytes_.copy(to.data(), to.size(), from);
  }
  ssize_t count = 0;
  do {
    count = pread(file_.get(), to.data(), to.size(), static_cast<off_t>(from));
  } while (count < 0 && errno == EINTR);
  if (count < 0) return base::SystemError("cannot read " + name_);
  return static_cast<size_t>(count);
}

}  // namespace reckon::bundle
