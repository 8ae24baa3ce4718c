// `exact` and `reckon`. Both rest on this: estimates depend on the size of the crew and on a
// worker's own batch, so for a size the best batch of each worker is its own matter.
#include <algorithm>
#include <bit>
#include <optional>
#include <span>

#include "decide/schedule/crew.h"
#include "decide/schedule/policies.h"

namespace reckon::decide {
namespace {

// Up to so many workers every size of crew is looked at, above it a part of them.
constexpr size_t kEverySize = 128;
constexpr double kSizeStep = 1.1;

struct Offer {
  Seat seat;
  Pace pace;
};

// The batch with which the worker is fastest in a crew of that size, among those that make no app
// late; nullopt when all do.
std::optional<Offer> BestOffer(const ScheduleProblem& problem, size_t worker,
                               std::span<const int64_t> batches, size_t crew) {
  std::optional<Offer> best;
  for (const int64_t batch : batches) {
    const Seat seat{worker, batch};
    const Pace pace = PaceOf(problem, seat, crew);
    if (best && pace.per_sample_s >= best->pace.per_sample_s) continue;
    if (!FirstLateApp(problem, seat, crew, Caution::kBounds)) best = Offer{seat, pace};
  }
  return best;
}

bool KeepsDeadlines(const ScheduleProblem& problem, const SchedulePlan& plan) {
  for (size_t i = 0; i < plan.workers.size(); ++i) {
    const WorkerPlan& worker = plan.workers[i];
    if (worker.shard > 0 && FirstLateApp(problem, {i, worker.batch}, plan.crew, Caution::kBounds)) {
      return false;
    }
  }
  return true;
}

double EndOfFirst(std::span<const Offer> offers, size_t count, double samples) {
  std::vector<Pace> paces;
  for (const Offer& offer : offers.first(count)) paces.push_back(offer.pace);
  return EarliestEnd(paces, samples);
}

// Moves the `count` offers to the front that have done all samples soonest between them. With the
// moment T of the end given, those with the most samples until T are best; T falls with every
// better crew until it is the best one's.
void BestFirst(std::vector<Offer>& offers, size_t count, double samples) {
  const auto nth = offers.begin() + static_cast<ptrdiff_t>(count);
  std::nth_element(offers.begin(), nth - 1, offers.end(), [](const Offer& a, const Offer& b) {
    return a.pace.per_sample_s < b.pace.per_sample_s;
  });
  const bool alike = std::all_of(offers.begin(), offers.end(), [&](const Offer& offer) {
    return offer.pace.fixed_s == offers.front().pace.fixed_s;
  });
  if (alike) return;
  for (double end = EndOfFirst(offers, count, samples);;) {
    const auto until_end = [&](const Offer& offer) {
      return std::max(0.0, end - offer.pace.fixed_s) / offer.pace.per_sample_s;
    };
    std::nth_element(offers.begin(), nth - 1, offers.end(),
                     [&](const Offer& a, const Offer& b) { return until_end(a) > until_end(b); });
    const double next = EndOfFirst(offers, count, samples);
    if (!(next < end * (1 - 1e-12))) return;
    end = next;
  }
}

std::vector<size_t> SizesToTry(size_t workers) {
  std::vector<size_t> sizes;
  for (size_t size = 1; size <= workers;) {
    sizes.push_back(size);
    size = workers <= kEverySize
               ? size + 1
               : std::max(size + 1, static_cast<size_t>(kSizeStep * static_cast<double>(size)));
  }
  if (sizes.back() != workers) sizes.push_back(workers);
  return sizes;
}

class Search {
 public:
  explicit Search(const ScheduleProblem& problem) : problem_(problem) {
    for (size_t i = 0; i < problem.workers.size(); ++i) grids_.push_back(BatchGrid(problem, i));
  }

  void TryEverySize() {
    for (const size_t size : SizesToTry(problem_.workers.size())) TrySize(size);
    if (problem_.workers.size() <= kEverySize || !best_) return;
    // Between the sizes around the best one, halving.
    size_t step = std::max<size_t>(1, best_->crew / 10);
    for (; step > 0; step /= 2) {
      const size_t middle = best_->crew;
      if (middle > step) TrySize(middle - step);
      if (middle + step <= problem_.workers.size()) TrySize(middle + step);
    }
  }

  void TryEverySubset() {
    const size_t workers = problem_.workers.size();
    for (size_t mask = 1; mask < size_t{1} << workers; ++mask) {
      const auto crew = static_cast<size_t>(std::popcount(mask));
      std::vector<Seat> seats;
      for (size_t i = 0; i < workers; ++i) {
        if ((mask >> i & 1) == 0) continue;
        const auto offer = BestOffer(problem_, i, grids_[i], crew);
        if (!offer) break;
        seats.push_back(offer->seat);
      }
      if (seats.size() == crew) Take(BestPlanOf(problem_, std::move(seats)));
    }
  }

  void Take(SchedulePlan plan) {
    if (best_ && plan.total_s >= best_->total_s) return;
    if (KeepsDeadlines(problem_, plan)) best_ = std::move(plan);
  }

  base::Result<SchedulePlan> Result(SchedulePolicy policy) {
    if (!best_) return NobodyLeft(problem_, Caution::kBounds);
    best_->policy = policy;
    for (size_t i = 0; i < best_->workers.size(); ++i) {
      if (best_->workers[i].shard == 0) best_->workers[i].left_out = WhyNot(i);
    }
    return *std::move(best_);
  }

 private:
  void TrySize(size_t size) {
    std::vector<Offer> offers;
    for (size_t i = 0; i < grids_.size(); ++i) {
      if (const auto offer = BestOffer(problem_, i, grids_[i], size)) offers.push_back(*offer);
    }
    if (offers.size() < size) return;
    BestFirst(offers, size, static_cast<double>(problem_.samples));
    std::vector<Seat> seats;
    for (const Offer& offer : std::span(offers).first(size)) seats.push_back(offer.seat);
    std::sort(seats.begin(), seats.end(),
              [](const Seat& a, const Seat& b) { return a.worker < b.worker; });
    Take(BestPlanOf(problem_, std::move(seats)));
  }

  std::string WhyNot(size_t worker) const {
    if (grids_[worker].empty()) return "no memory for the smallest batch";
    if (BestOffer(problem_, worker, grids_[worker], best_->crew)) {
      return "the others are as soon done without it";
    }
    const Seat smallest{worker, grids_[worker].front()};
    return Describe(problem_, worker,
                    *FirstLateApp(problem_, smallest, best_->crew, Caution::kBounds)) +
           ", with every batch";
  }

  const ScheduleProblem& problem_;
  std::vector<std::vector<int64_t>> grids_;
  std::optional<SchedulePlan> best_;
};

}  // namespace

base::Result<SchedulePlan> ExactSchedule(const ScheduleProblem& problem) {
  Search search(problem);
  search.TryEverySubset();
  // Its batches are not of the grid, and where samples are few that may be better.
  if (auto other = DeepEdgeSchedule(problem); other.ok()) search.Take(std::move(other).value());
  return search.Result(SchedulePolicy::kExact);
}

base::Result<SchedulePlan> ReckonSchedule(const ScheduleProblem& problem) {
  Search search(problem);
  search.TryEverySize();
  // Its batches are not of our grid, and its sizes may be between ours.
  if (auto other = DeepEdgeSchedule(problem); other.ok()) search.Take(std::move(other).value());
  return search.Result(SchedulePolicy::kReckon);
}

}  // namespace reckon::decide
