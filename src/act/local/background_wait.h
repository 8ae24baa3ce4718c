// Waiting for what runs beside the training before the training starts.
#pragma once

#include <deque>
#include <optional>
#include <string>

#include "act/launch.h"
#include "act/local/node_watch.h"
#include "act/local/rank.h"
#include "act/local/report_door.h"
#include "base/clock.h"

namespace reckon::act {

// Not thread-safe.
class BackgroundWait {
 public:
  // All outlive it.
  BackgroundWait(const LaunchSpec& spec, const ReportDoor& door, const base::Clock& clock)
      : spec_(spec), door_(door), clock_(clock) {}

  enum class News {
    kNone,
    kSettled,  // just now: from here on the hosts' state is that before the training
    kOver,     // the others may start
    kFailed,   // problem() says why
  };
  // `may_end`: nobody else has to be waited for. Until then it never says kOver; a part of a run
  // says kSettled also when it has nothing in the background.
  News Look(const std::deque<Rank>& ranks, bool may_end);

  const std::string& problem() const { return problem_; }
  // From the settling to the start of the others; nullopt: there was nothing to wait for.
  const std::optional<Stretch>& baseline() const { return baseline_; }

 private:
  // False also when it never will: then there is a problem.
  bool HasSettled(const Rank& rank);

  const LaunchSpec& spec_;
  const ReportDoor& door_;
  const base::Clock& clock_;
  std::string problem_;
  std::optional<base::MonotonicTime> settled_;
  double settled_at_ = 0;  // seconds since 1970
  std::optional<Stretch> baseline_;
};

}  // namespace reckon::act
