// A cgroup of its own for every rank, where the system lets us: to count and to kill exactly.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include <sys/types.h>

#include "act/launch.h"

namespace reckon::act {

// A cgroup of version 2 below the one that the place names, or below our own when it names none, so
// that every limit above holds. Removed in the end, when its processes are gone. Not thread-safe.
class RankCgroup {
 public:
  // `keeper`: whose process id makes the name. nullptr where cgroups cannot be made.
  static std::unique_ptr<RankCgroup> Make(const Place& place, pid_t keeper);
  ~RankCgroup();
  RankCgroup(const RankCgroup&) = delete;
  RankCgroup& operator=(const RankCgroup&) = delete;

  const std::string& folder() const { return folder_; }
  // Whether `pid` is in it.
  bool Holds(pid_t pid) const;
  // SIGKILL to everything in it at once; kernels before 5.14 cannot.
  void Kill() const;

 private:
  explicit RankCgroup(std::string folder) : folder_(std::move(folder)) {}

  std::string folder_;
};

// What a keeper that was killed left; nothing when there is nothing.
void RemoveRankCgroup(const Place& place, pid_t keeper);

// What keepers of such a run left that were killed together with their supervisor. For places
// without a cgroup of version 2 only what lies below our own is found. Waits for up to a second for
// processes that were just killed.
void RemoveAbandonedRankCgroups(const LaunchSpec& spec);

}  // namespace reckon::act
