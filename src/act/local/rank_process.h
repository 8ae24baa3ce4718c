// Starting a rank in its place: cgroups, network namespace, session, log, working folder.
#pragma once

#include <string>

#include <sys/types.h>

#include "act/local/keep_order.h"
#include "base/result.h"

namespace reckon::act {

struct NewRank {
  pid_t pid = 0;
  // Reads the reason when the rank could not become its program; ends without a byte when it has.
  // Owned by the caller; does not wait.
  int report = -1;
};

// `cgroup`: folder of one more cgroup, joined last and only if that works; empty: none.
//
// Forks. Only for a process without threads, whose death kills the rank. The child's signals are as
// a program expects them. kIo when there can be no more processes or pipes.
base::Result<NewRank> StartRank(const KeepOrder& order, const std::string& cgroup);

}  // namespace reckon::act
