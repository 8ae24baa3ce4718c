// The optimisers of workers and parameter servers: what PyTorch 1.13 does, on plain numbers.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"

namespace reckon::train {

struct OptimiserOptions {
  enum class Kind { kSgd, kAdam };
  Kind kind = Kind::kSgd;
  double rate = 0.01;
  double momentum = 0;      // SGD
  double weight_decay = 0;  // added to the gradient
  double beta1 = 0.9;       // Adam
  double beta2 = 0.999;
  double epsilon = 1e-8;
};

base::Result<OptimiserOptions::Kind> ParseOptimiser(const std::string& name);

// What to give a server that applies the gradients of `workers` workers one by one, so that it
// moves as `options` would with their mean. Every gradient moves the parameters by rate / (1 -
// momentum) of itself in the end, of a mean its share; and the memory of momentum (and of Adam's
// means) is to fade over as many images: m' = m^(1/workers), rate' = rate (1 - m') / (workers (1 -
// m)).
OptimiserOptions OneByOne(OptimiserOptions options, size_t workers);

// State for `size` parameters. Threads may apply to ranges that do not overlap at the same time;
// everything else is for one thread.
template <typename Real>
class BasicOptimiser {
 public:
  BasicOptimiser(const OptimiserOptions& options, size_t size);

  // The number of a new step, from 1 on.
  uint64_t BeginStep() { return ++state_.steps; }
  // Moves parameters[i] along -gradient[i] as part of that step; they are number `begin` on of all.
  void Apply(uint64_t step, size_t begin, std::span<const Real> gradient,
             std::span<Real> parameters);

  // Everything a step depends on beside the parameters: for checkpoints.
  struct State {
    uint64_t steps = 0;
    std::vector<Real> first;   // momentum, or Adam's mean; may be empty
    std::vector<Real> second;  // Adam's mean square; may be empty
  };
  const State& state() const { return state_; }
  // kCorrupt when it does not fit the options and the size.
  base::Status Restore(State state);

 private:
  OptimiserOptions options_;
  State state_;
};

extern template class BasicOptimiser<float>;
extern template class BasicOptimiser<double>;
using Optimiser = BasicOptimiser<float>;

}  // namespace reckon::train
