// Killing by number, without ever reaching a later process that got the same number.
#pragma once

#include <sys/types.h>

#include "base/result.h"

namespace reckon::act {

// Holds on to the process that has the number now (a pidfd). Find out afterwards whether that is
// the one that is meant: then it is the one that Kill reaches.
class PinnedProcess {
 public:
  explicit PinnedProcess(pid_t pid);
  ~PinnedProcess();
  PinnedProcess(PinnedProcess&& other) noexcept;
  PinnedProcess& operator=(PinnedProcess&&) = delete;
  PinnedProcess(const PinnedProcess&) = delete;
  PinnedProcess& operator=(const PinnedProcess&) = delete;

  pid_t pid() const { return pid_; }
  // SIGKILL; nothing to do when it is gone. kIo without the right to.
  base::Status Kill() const;

 private:
  pid_t pid_;
  int descriptor_;
};

}  // namespace reckon::act
