#include "watch/run_queue.h"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>

namespace reckon::watch {

std::vector<QueuePlace> QueueOf(const std::vector<QueuedRun>& runs, const QueueLimits& limits) {
  size_t at_work = 0;
  std::map<std::string, size_t> by_user;
  std::vector<QueuedRun> waiting;
  for (const QueuedRun& run : runs) {
    if (run.waits) {
      waiting.push_back(run);
    } else {
      ++at_work;
      ++by_user[run.user];
    }
  }
  std::sort(waiting.begin(), waiting.end(), [](const QueuedRun& a, const QueuedRun& b) {
    return std::tuple(-a.priority, a.run) < std::tuple(-b.priority, b.run);
  });
  std::vector<QueuePlace> places;
  for (const QueuedRun& run : waiting) {
    QueuePlace place{run.run, ""};
    if (limits.most_runs > 0 && at_work >= limits.most_runs) {
      place.why = fmt::format("{} runs are at work, as many as may be", at_work);
    } else if (limits.most_runs_per_user > 0 && by_user[run.user] >= limits.most_runs_per_user) {
      place.why = fmt::format("{} of {}'s runs are at work, as many as may be", by_user[run.user],
                              run.user.empty() ? "nobody" : run.user);
    } else {
      ++at_work;
      ++by_user[run.user];
    }
    places.push_back(std::move(place));
  }
  return places;
}

}  // namespace reckon::watch
