#include "act/local/leftovers.h"

#include <fstream>
#include <set>
#include <sstream>
#include <thread>

#include <fmt/format.h>
#include <unistd.h>

#include "act/pinned_process.h"
#include "observe/probes/process_tree.h"

namespace reckon::act {
namespace {

bool StartedWith(pid_t pid, const std::string& variable) {
  std::ifstream file(fmt::format("/proc/{}/environ", pid), std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();  // does not throw when the process goes meanwhile
  // Every variable ends with a zero byte, and the one before it does too.
  const std::string all = '\0' + text.str();
  return all.find('\0' + variable + '\0') != std::string::npos;
}

}  // namespace

base::Result<size_t> KillLeftovers(const RunFolder& folder, const std::string& mark,
                                   std::chrono::milliseconds limit) {
  RECKON_CHECK(mark.find('=') != std::string::npos && !mark.ends_with('='));
  RECKON_ASSIGN(const bool supervised, SupervisorLives(folder));
  if (supervised) {
    return base::Error(base::ErrorCode::kUnavailable,
                       fmt::format("{} has a supervisor; stop it", folder.path.string()));
  }
  const auto deadline = std::chrono::steady_clock::now() + limit;
  std::set<pid_t> found;
  for (;;) {
    bool left = false;
    for (const observe::ProcessEntry& process : observe::Descendants(0)) {
      const PinnedProcess pinned(process.pid);
      // A zombie has no environment any more.
      if (process.pid == getpid() || !StartedWith(process.pid, mark)) continue;
      left = true;
      found.insert(process.pid);
      (void)pinned.Kill();
    }
    if (!left) return found.size();
    if (std::chrono::steady_clock::now() >= deadline) {
      return base::Error(base::ErrorCode::kFailed,
                         fmt::format("processes of {} do not die", folder.path.string()));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

}  // namespace reckon::act
