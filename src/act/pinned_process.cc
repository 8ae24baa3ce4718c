#include "act/pinned_process.h"

#include <cerrno>
#include <csignal>
#include <utility>

#include <fmt/format.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/system_error.h"

namespace reckon::act {

PinnedProcess::PinnedProcess(pid_t pid)
    : pid_(pid), descriptor_(static_cast<int>(syscall(SYS_pidfd_open, pid, 0))) {}

PinnedProcess::~PinnedProcess() {
  if (descriptor_ >= 0) close(descriptor_);
}

PinnedProcess::PinnedProcess(PinnedProcess&& other) noexcept
    : pid_(other.pid_), descriptor_(std::exchange(other.descriptor_, -1)) {}

base::Status PinnedProcess::Kill() const {
  if (descriptor_ < 0) return {};  // it was gone already
  if (syscall(SYS_pidfd_send_signal, descriptor_, SIGKILL, nullptr, 0) == 0 || errno == ESRCH) {
    return {};
  }
  return base::SystemError(fmt::format("cannot kill process {}", pid_));
}

}  // namespace reckon::act
