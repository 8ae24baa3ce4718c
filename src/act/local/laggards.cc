#include "act/local/laggards.h"

#include <chrono>

namespace reckon::act {
namespace {

using std::chrono::duration;

// Workers may go on for so many times the grace when no server is left: one saves its model.
constexpr int kAbandonedGraces = 4;

}  // namespace

std::vector<Rank*> Laggards::Abandoned(std::deque<Rank>& ranks) {
  std::vector<Rank*> abandoned;
  bool served = false;
  for (const Rank& rank : ranks) {
    if (rank.Worker() || rank.Background()) continue;
    if (rank.Lives() || !rank.end || !rank.end->Good()) return abandoned;
    served = true;
  }
  if (!served) return abandoned;
  if (!patience_over_) {
    patience_over_ =
        clock_.Monotonic() + std::chrono::ceil<base::MonotonicTime::duration>(
                                 duration<double>(kAbandonedGraces * spec_.stop_grace_s));
  }
  if (clock_.Monotonic() < *patience_over_) return abandoned;
  patience_over_ = base::MonotonicTime::max();
  for (Rank& rank : ranks) {
    if (rank.Lives() && rank.spec->on_death == OnDeath::kGoOn) abandoned.push_back(&rank);
  }
  return abandoned;
}

const Rank* Laggards::Hanging(const std::deque<Rank>& ranks) {
  if (spec_.ends_within_s <= 0) return nullptr;
  const Rank* at_work = nullptr;
  for (const Rank& rank : ranks) {
    if (!rank.Worker()) continue;
    if (!rank.end || rank.Lives()) {
      at_work = &rank;
    } else if (rank.end->Good() && !first_end_) {
      first_end_ = clock_.Monotonic();
    }
  }
  if (at_work == nullptr || !first_end_) return nullptr;
  const duration<double> since = clock_.Monotonic() - *first_end_;
  return since.count() < spec_.ends_within_s ? nullptr : at_work;
}

}  // namespace reckon::act
