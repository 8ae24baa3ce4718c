// The folder of a run, and its supervisor as others see it: a process that holds the folder's lock.
#pragma once

#include <filesystem>
#include <string>

#include <sys/types.h>

#include "base/result.h"

namespace reckon::act {

// The files of a run. Those that a process writes have the names of its ProcessSpec.
struct RunFolder {
  explicit RunFolder(std::filesystem::path folder) : path(std::move(folder)) {}

  std::filesystem::path spec() const { return path / "spec.json"; }
  std::filesystem::path events() const { return path / "events.jsonl"; }
  std::filesystem::path lock() const { return path / "lock"; }
  std::filesystem::path orders() const { return path / "orders.json"; }  // of a part
  std::filesystem::path reserve() const { return path / "reserve"; }     // while it runs
  std::filesystem::path supervisor_log() const { return path / "supervisor.log"; }
  std::filesystem::path setup_log(const std::string& host) const {
    return path / ("setup-" + host + ".log");
  }

  std::filesystem::path path;
};

// The lock of a run folder, held for as long as the supervisor lives; the kernel gives it back when
// the process dies in any way. The supervisor's process id is written in the file.
class RunLock {
 public:
  // kUnavailable when another process holds it.
  static base::Result<RunLock> Take(const RunFolder& folder);
  ~RunLock();
  RunLock(RunLock&& other) noexcept;
  RunLock& operator=(RunLock&&) = delete;
  RunLock(const RunLock&) = delete;
  RunLock& operator=(const RunLock&) = delete;

 private:
  explicit RunLock(int descriptor) : descriptor_(descriptor) {}

  int descriptor_;
};

// Whether a supervisor holds the lock right now. kIo when that cannot be seen, as in a folder of
// somebody else's: then nobody may conclude that it is dead.
base::Result<bool> SupervisorLives(const RunFolder& folder);

// kNotFound when none lives.
base::Result<pid_t> SupervisorPid(const RunFolder& folder);

// Starts `program FOLDER` as a process that outlives this one: in a session of its own, nobody's
// child, standard output and error appended to supervisor.log. Returns once it holds the lock (or
// has held it and is done already); kFailed with the last line of its log when it ends before that.
base::Status StartSupervisor(const std::filesystem::path& program, const RunFolder& folder);

// Asks the supervisor to stop the run (SIGTERM) and does not wait. kNotFound when none lives.
base::Status RequestStop(const RunFolder& folder);

// For one that does not answer: SIGKILL. Its keepers then end the ranks. kNotFound as above.
base::Status KillSupervisor(const RunFolder& folder);

// The last lines of a text file that are not blank, at most `count`, without blanks around them,
// each cut to 500 bytes, joined by " | "; "" when there are none. Reads the end of the file only.
std::string LastLines(const std::filesystem::path& path, size_t count);

}  // namespace reckon::act
