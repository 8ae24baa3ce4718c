#include "act/local/background_wait.h"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>

#include "observe/events/report.h"

namespace reckon::act {

using std::chrono::duration;

bool BackgroundWait::HasSettled(const Rank& rank) {
  if (!rank.started) return false;
  if (door_.SaidReady(rank.spec->role, rank.spec->index)) return true;
  const duration<double> passed = clock_.Monotonic() - rank.started_at;
  if (passed.count() < rank.spec->settle_s) return false;
  if (!rank.spec->reports) return true;
  problem_ = fmt::format("{} has reported nothing within {:.4g} s", ProcessName(*rank.spec),
                         rank.spec->settle_s);
  return false;
}

BackgroundWait::News BackgroundWait::Look(const std::deque<Rank>& ranks, bool may_end) {
  for (const Rank& rank : ranks) {
    if (!rank.Background()) continue;
    // What has settled stays so, whatever it reports.
    if (!settled_ && !HasSettled(rank)) return problem_.empty() ? News::kNone : News::kFailed;
  }
  const bool any =
      std::any_of(ranks.begin(), ranks.end(), [](const Rank& rank) { return rank.Background(); });
  if (!any && spec_.baseline_s <= 0 && spec_.part.empty()) return News::kOver;
  if (!settled_) {
    settled_ = clock_.Monotonic();
    settled_at_ = observe::EventTime(clock_.Now());
    return News::kSettled;
  }
  const duration<double> passed = clock_.Monotonic() - *settled_;
  if (!may_end || passed.count() < spec_.baseline_s) return News::kNone;
  baseline_ = Stretch{settled_at_, observe::EventTime(clock_.Now())};
  return News::kOver;
}

}  // namespace reckon::act
