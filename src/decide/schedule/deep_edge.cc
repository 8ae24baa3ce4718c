// Algorithm 1 of Deep-Edge, by the numbers of its lines. Where the printed text has gaps:
// - Iter (lines 1, 23, 24) counts the iterations of a round; printed, it goes on over rounds, so
// that
//   after tau of them every later round would end after its first look.
// - A round does not end with an iteration that removed workers: the shards it has computed do not
//   sum to |M| without them.
// - When no worker is left there is no plan; printed, the sum in line 10 would be empty.
// - Line 32 keeps the shards of line 10 of the same iteration as the batches; printed, it keeps
// those
//   of the iteration before, which belong to other batches.
// - Shards are whole at the end, and sum to |M|.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "decide/schedule/crew.h"
#include "decide/schedule/policies.h"

namespace reckon::decide {
namespace {

constexpr double kUnlimited = std::numeric_limits<double>::infinity();

struct Member {
  Seat seat;
  double shard = kUnlimited;  // line 2
  double per_sample_s = 0;    // t_total
};

// Why a worker is out. Words are made of it once at the end: there are as many rounds as workers
// that are removed.
struct Removal {
  enum class Why { kNone, kNoMemory, kLate, kSlowest, kNoBatch };
  Why why = Why::kNone;
  LateApp late = {};  // of kLate
};

class Algorithm1 {
 public:
  explicit Algorithm1(const ScheduleProblem& problem)
      : problem_(problem), why_out_(problem.workers.size()) {
    for (size_t i = 0; i < problem.workers.size(); ++i) {
      if (LargestBatch(problem, i) == 0) {
        why_out_[i].why = Removal::Why::kNoMemory;
      } else {
        crew_.push_back({{i, 0}});
      }
    }
  }

  base::Result<SchedulePlan> Run() {
    double best_s = kUnlimited;
    std::vector<Member> best;
    std::vector<Removal> why_out;
    while (!crew_.empty()) {
      ++rounds_;
      Balance();
      if (crew_.empty()) break;
      double epoch_s = 0;  // line 29
      for (const Member& worker : crew_) {
        epoch_s = std::max(epoch_s, worker.shard * worker.per_sample_s);
      }
      if (epoch_s >= best_s) break;
      best_s = epoch_s;
      best = crew_;
      why_out = why_out_;
      RemoveSlowest();
    }
    if (best.empty()) return NobodyLeft(problem_, Caution::kNone);
    return Whole(std::move(best), std::move(why_out));
  }

 private:
  // Lines 5 to 28.
  void Balance() {
    for (int iteration = 0; iteration < problem_.most_iterations || removed_;) {
      ++iteration;
      ++iterations_;
      const double moved = Rebalance();
      removed_ = RemoveLate();
      if (crew_.empty() || (!removed_ && moved <= problem_.epsilon)) return;
    }
  }

  // Lines 6 to 10; the distance of line 24.
  double Rebalance() {
    double rates = 0;
    for (Member& worker : crew_) {
      const auto most = static_cast<double>(LargestBatch(problem_, worker.seat.worker));
      worker.seat.batch = std::max(problem_.least_batch,
                                   static_cast<int64_t>(std::floor(std::min(most, worker.shard))));
      worker.per_sample_s = EpochPerSample(problem_, worker.seat, crew_.size());
      rates += 1 / worker.per_sample_s;
    }
    double squares = 0;
    for (Member& worker : crew_) {
      const double shard = static_cast<double>(problem_.samples) / (worker.per_sample_s * rates);
      squares += (shard - worker.shard) * (shard - worker.shard);
      worker.shard = shard;
    }
    return std::sqrt(squares);
  }

  // Lines 11 to 22. All are judged as one crew, as printed: the size changes after the loop.
  bool RemoveLate() {
    const size_t crew = crew_.size();
    std::erase_if(crew_, [&](const Member& worker) {
      const auto late = FirstLateApp(problem_, worker.seat, crew, Caution::kNone);
      if (late) why_out_[worker.seat.worker] = {Removal::Why::kLate, *late};
      return late.has_value();
    });
    return crew_.size() < crew;
  }

  // Lines 33 and 34.
  void RemoveSlowest() {
    const auto slowest = std::max_element(
        crew_.begin(), crew_.end(),
        [](const Member& a, const Member& b) { return a.per_sample_s < b.per_sample_s; });
    why_out_[slowest->seat.worker].why = Removal::Why::kSlowest;
    crew_.erase(slowest);
  }

  // Whole shards cut batches and may leave nothing to some, which changes what others were judged
  // by: until nobody is late and nobody has less than the smallest batch.
  base::Result<SchedulePlan> Whole(std::vector<Member> best, std::vector<Removal> why_out) const {
    while (true) {
      SchedulePlan plan = Plan(best, why_out);
      const auto shard = [&](const Member& member) {
        return plan.workers[member.seat.worker].shard;
      };
      const auto least =
          std::min_element(best.begin(), best.end(),
                           [&](const Member& a, const Member& b) { return shard(a) < shard(b); });
      const size_t before = best.size();
      if (shard(*least) == 0) {
        std::erase_if(best, [&](const Member& member) { return shard(member) == 0; });
      } else if (shard(*least) < problem_.least_batch && best.size() > 1) {
        why_out[least->seat.worker].why = Removal::Why::kNoBatch;
        best.erase(least);
      } else {
        std::erase_if(best, [&](const Member& member) {
          const Seat seat{member.seat.worker, plan.workers[member.seat.worker].batch};
          const auto late = FirstLateApp(problem_, seat, plan.crew, Caution::kNone);
          if (late) why_out[seat.worker] = {Removal::Why::kLate, *late};
          return late.has_value();
        });
      }
      if (best.size() == before) return plan;
      if (best.empty()) return NobodyLeft(problem_, Caution::kNone);
      for (Member& member : best) {
        member.per_sample_s = EpochPerSample(problem_, member.seat, best.size());
      }
    }
  }

  SchedulePlan Plan(const std::vector<Member>& best, const std::vector<Removal>& why_out) const {
    std::vector<Seat> seats;
    std::vector<Pace> paces;  // of epochs alone: transfer and initialisation are not looked at
    for (const Member& worker : best) {
      seats.push_back(worker.seat);
      paces.push_back({0, worker.per_sample_s});
    }
    SchedulePlan plan = PlanOf(problem_, seats, ShareOut(paces, problem_.samples));
    for (size_t i = 0; i < plan.workers.size(); ++i) {
      if (plan.workers[i].shard > 0) continue;
      plan.workers[i].left_out = Words(i, why_out[i]);
    }
    plan.policy = SchedulePolicy::kDeepEdge;
    plan.rounds = rounds_;
    plan.iterations = iterations_;
    return plan;
  }

  std::string Words(size_t worker, const Removal& removal) const {
    switch (removal.why) {
      case Removal::Why::kNoMemory:
        return "no memory for the smallest batch";
      case Removal::Why::kLate:
        return Describe(problem_, worker, removal.late);
      case Removal::Why::kSlowest:
        return "the slowest: the others are sooner done without it";
      case Removal::Why::kNoBatch:
        return "no batch is left for it";
      case Removal::Why::kNone:
        break;
    }
    return "no sample is left for it";
  }

  const ScheduleProblem& problem_;
  std::vector<Member> crew_;
  std::vector<Removal> why_out_;
  bool removed_ = false;  // workers, in the last iteration
  int rounds_ = 0;
  int iterations_ = 0;
};

}  // namespace

base::Result<SchedulePlan> DeepEdgeSchedule(const ScheduleProblem& problem) {
  return Algorithm1(problem).Run();
}

}  // namespace reckon::decide
