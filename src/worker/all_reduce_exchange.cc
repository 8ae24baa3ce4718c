#include <array>
#include <optional>
#include <utility>
#include <variant>

#include "worker/exchange.h"
#include "worker/stopwatch.h"

namespace reckon::worker {
namespace {

class AllReduceExchange final : public Exchange {
 public:
  AllReduceExchange(Replica& replica, std::unique_ptr<ProcessGroup> group, size_t rank,
                    size_t workers, const train::OptimiserOptions& optimiser,
                    std::optional<train::SavedModel> resume, size_t bucket_bytes)
      : replica_(replica),
        group_(std::move(group)),
        rank_(rank),
        workers_(workers),
        optimiser_(MakeOptimiser(optimiser, replica.gradients())),
        resume_(std::move(resume)) {
    if (group_ != nullptr) reducer_.emplace(*group_, replica.gradients(), bucket_bytes);
  }

  base::Result<uint64_t> Begin() override {
    // What rank 0 goes on from; the others learn it from rank 0.
    std::array<double, 2> counts{};
    if (rank_ == 0 && resume_) {
      counts = {static_cast<double>(resume_->steps), static_cast<double>(resume_->optimiser_steps)};
    }
    if (group_ != nullptr) {
      RECKON_TRY(group_->Sum(counts));
      RECKON_TRY(group_->Broadcast(replica_.parameters()));
    }
    RECKON_TRY(std::visit(
        [&](auto& optimiser) { return Restore(optimiser, static_cast<uint64_t>(counts[1])); },
        optimiser_));
    resume_.reset();
    return static_cast<uint64_t>(counts[0]);
  }

  base::Result<StepOutcome> Step(const StepPart& part) override {
    StepOutcome outcome;
    Stopwatch watch;
    GradientReducer* reducer = reducer_ ? &*reducer_ : nullptr;
    if (part.batch != nullptr) {
      // The mean over all images of the step: every worker's mean counts by its share.
      const double share =
          static_cast<double>(part.batch->size()) / static_cast<double>(part.total);
      RECKON_ASSIGN(outcome.loss, replica_.Backward(*part.batch, share, part.step, reducer));
    } else {
      replica_.ZeroGradients();
    }
    outcome.compute_s = watch.Lap();
    if (reducer != nullptr) {
      RECKON_TRY(reducer->Finish());
      // A ring sends each number (n - 1) / n times for the sums and as often for the results.
      outcome.bytes_sent = 2 * (workers_ - 1) * replica_.gradients().bytes() / workers_;
      outcome.bytes_received = outcome.bytes_sent;
    }
    if (part.last) {
      std::array<double, 1> wishes{part.wants_end ? 1.0 : 0.0};
      if (group_ != nullptr) RECKON_TRY(group_->Sum(wishes));
      outcome.ends = wishes[0] > 0;
    }
    outcome.push_s = watch.Lap();
    std::visit([this](auto& optimiser) { Update(optimiser); }, optimiser_);
    outcome.update_s = watch.Lap();
    return outcome;
  }

  bool together() const override { return true; }

  train::SavedModel Save(uint64_t steps) const override {
    train::SavedModel model;
    std::visit([&](const auto& optimiser) { Fill(optimiser, model); }, optimiser_);
    model.steps = steps;
    return model;
  }

  void Alive() override {}  // workers in step validate for as long as each other

  // Nobody leaves before all have all sums: who leaves first would look like one that died.
  base::Status Finish() override {
    std::array<double, 1> nothing{};
    return group_ == nullptr ? base::Status() : group_->Sum(nothing);
  }

 private:
  using AnyOptimiser = std::variant<train::BasicOptimiser<float>, train::BasicOptimiser<double>>;

  static AnyOptimiser MakeOptimiser(const train::OptimiserOptions& options, Reals gradients) {
    if (gradients.float64) return train::BasicOptimiser<double>(options, gradients.size);
    return train::BasicOptimiser<float>(options, gradients.size);
  }

  template <typename Real>
  void Update(train::BasicOptimiser<Real>& optimiser) {
    optimiser.Apply(optimiser.BeginStep(), 0, replica_.gradients().As<Real>(),
                    replica_.trained().As<Real>());
  }

  template <typename Real>
  base::Status Restore(train::BasicOptimiser<Real>& optimiser, uint64_t steps) {
    if (steps == 0) return {};
    auto state = optimiser.state();
    state.steps = steps;
    if (rank_ == 0) {
      state.first = std::get<std::vector<Real>>(std::move(resume_->first));
      state.second = std::get<std::vector<Real>>(std::move(resume_->second));
    }
    for (std::vector<Real>* numbers : {&state.first, &state.second}) {
      if (group_ == nullptr || numbers->empty()) continue;
      RECKON_TRY(group_->Broadcast({numbers->data(), numbers->size(), sizeof(Real) == 8}));
    }
    return optimiser.Restore(std::move(state));
  }

  template <typename Real>
  void Fill(const train::BasicOptimiser<Real>& optimiser, train::SavedModel& model) const {
    const auto all = replica_.parameters().As<Real>();
    model.parameters = std::vector<Real>(all.begin(), all.end());
    model.optimiser_steps = optimiser.state().steps;
    model.first = optimiser.state().first;
    model.second = optimiser.state().second;
  }

  Replica& replica_;
  std::unique_ptr<ProcessGroup> group_;
  const size_t rank_;
  const size_t workers_;
  std::optional<GradientReducer> reducer_;
  AnyOptimiser optimiser_;
  std::optional<train::SavedModel> resume_;
};

}  // namespace

std::unique_ptr<Exchange> MakeAllReduce(Replica& replica, std::unique_ptr<ProcessGroup> group,
                                        size_t rank, size_t workers,
                                        const train::OptimiserOptions& optimiser,
                                        std::optional<train::SavedModel> resume,
                                        size_t bucket_bytes) {
  return std::make_unique<AllReduceExchange>(replica, std::move(group), rank, workers, optimiser,
                                             std::move(resume), bucket_bytes);
}

}  // namespace reckon::worker
