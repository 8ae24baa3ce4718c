// One stress-ng at work, with the processes below it.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include <sys/types.h>

#include "base/result.h"

namespace reckon::observe {

// Where stress-ng is; kFailed, naming the package, when it is nowhere on the PATH.
base::Result<std::string> FindStressNg();

// Ends with this object, and with the thread that made it, however that ends. Between us and
// stress-ng there is a guard: a process with a session of its own, in which stress-ng has a process
// group of its own. When we are killed the kernel kills the guard and with it stress-ng, whose
// workers are told (stress-ng asks for that); and since nobody else of the session is left, the
// kernel wakes those of the group that are paused, which would not hear it otherwise. Not
// thread-safe.
class Stressor {
 public:
  // `workers`: how many processes will do the work.
  static base::Result<std::unique_ptr<Stressor>> Start(const std::string& program,
                                                       const std::vector<std::string>& arguments,
                                                       size_t workers);
  ~Stressor();  // kills all of them and waits until they are gone
  Stressor(const Stressor&) = delete;
  Stressor& operator=(const Stressor&) = delete;

  // kFailed, with what it said, when stress-ng has ended.
  base::Status Check() const;
  // Looks which processes there are now. Goes through all processes of the machine.
  void Look();
  // Whether all workers were there at the last look.
  bool complete() const { return workers().size() >= expected_; }
  // The guard, stress-ng itself, then those below it.
  std::span<const pid_t> pids() const { return pids_; }
  std::span<const pid_t> workers() const { return pids().subspan(kBeforeWorkers); }

  // Lets the workers run or pauses them, also those that come later.
  void Run(bool on);

 private:
  static constexpr size_t kBeforeWorkers = 2;  // in pids_, always

  Stressor(pid_t guard, pid_t leader, int output, size_t workers)
      : guard_(guard), leader_(leader), output_(output), expected_(workers), pids_{guard, leader} {}

  void SignalWorkers() const;
  std::string LastWords() const;

  const pid_t guard_;
  const pid_t leader_;     // stress-ng
  const int output_;       // what it printed, a file in memory
  const size_t expected_;  // workers
  std::vector<pid_t> pids_;
  bool running_ = true;
};

}  // namespace reckon::observe
