#include "act/local/disk_reserve.h"

#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "base/system_error.h"

namespace reckon::act {
namespace {

// An event with the longest reason, and what a file system needs to write it down.
constexpr off_t kReservedBytes = 64 * 1024;

}  // namespace

base::Result<DiskReserve> DiskReserve::Take(std::filesystem::path path) {
  const int descriptor = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  int code = descriptor < 0 ? errno : 0;
  DiskReserve reserve(path);
  if (descriptor >= 0) {
    code = posix_fallocate(descriptor, 0, kReservedBytes);
    close(descriptor);
  }
  if (code == 0) return reserve;
  return base::SystemError(fmt::format("cannot write {}", path.string()), code);
}

DiskReserve::DiskReserve(DiskReserve&& other) noexcept : path_(std::exchange(other.path_, {})) {}

void DiskReserve::Release() {
  if (!path_.empty()) unlink(path_.c_str());
  path_.clear();
}

}  // namespace reckon::act
