#include "act/local/kill_tree.h"

#include <csignal>
#include <thread>

#include <sys/wait.h>
#include <unistd.h>

#include "observe/probes/process_tree.h"

namespace reckon::act {

void SignalTree(pid_t root, int signal, const std::set<pid_t>& spared, std::set<pid_t>& told) {
  std::set<pid_t> passed = spared;  // and, since parents come first, all below them
  for (const observe::ProcessEntry& process : observe::Descendants(root)) {
    if (passed.contains(process.pid) || passed.contains(process.parent)) {
      passed.insert(process.pid);
    } else if (!process.zombie && told.insert(process.pid).second) {
      kill(process.pid, signal);
    }
  }
}

bool KillStrays(const std::set<pid_t>& spared, std::chrono::milliseconds limit) {
  const auto deadline = std::chrono::steady_clock::now() + limit;
  for (;;) {
    bool left = false;
    for (const observe::ProcessEntry& process : observe::Descendants(getpid())) {
      if (process.parent != getpid() || spared.contains(process.pid)) continue;
      left = true;
      if (process.zombie) waitpid(process.pid, nullptr, WNOHANG);
    }
    if (!left) return true;
    if (std::chrono::steady_clock::now() >= deadline) return false;
    std::set<pid_t> told;
    SignalTree(getpid(), SIGKILL, spared, told);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

}  // namespace reckon::act
