// Ending whole trees of processes.
#pragma once

#include <chrono>
#include <functional>
#include <set>

#include <sys/types.h>

namespace reckon::act {

// Sends `signal` to every process below `root` (this process or one below it) that is in none of
// the trees of `spared` and not in `told`, and adds it there. For SIGKILL give an empty `told` each
// time. Processes that are born meanwhile are missed: ask again until none is left.
void SignalTree(pid_t root, int signal, const std::set<pid_t>& spared, std::set<pid_t>& told);

// Kills every process below this one except the trees of `spared` and waits for their ends, at most
// for `limit`. Whether none is left. This process must be a subreaper, so that orphans come to it.
bool KillStrays(const std::set<pid_t>& spared, std::chrono::milliseconds limit);

}  // namespace reckon::act
