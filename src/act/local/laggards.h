// Workers of a run that nothing else will end.
#pragma once

#include <deque>
#include <optional>
#include <vector>

#include "act/launch.h"
#include "act/local/rank.h"
#include "base/clock.h"

namespace reckon::act {

// Remembers since when there have been such. Not thread-safe.
class Laggards {
 public:
  // Both outlive it.
  Laggards(const LaunchSpec& spec, const base::Clock& clock) : spec_(spec), clock_(clock) {}

  // Those that may be missed and go on although every server has ended well, for longer than one
  // that saves its model needs: servers that end well had given them up. Told once.
  std::vector<Rank*> Abandoned(std::deque<Rank>& ranks);

  // Of workers in step one that goes on long after another has ended well: it hangs while it ends,
  // and keeps nobody waiting but us.
  const Rank* Hanging(const std::deque<Rank>& ranks);

 private:
  const LaunchSpec& spec_;
  const base::Clock& clock_;
  std::optional<base::MonotonicTime> patience_over_;  // with workers that no server serves
  std::optional<base::MonotonicTime> first_end_;      // of a worker that ended well
};

}  // namespace reckon::act
