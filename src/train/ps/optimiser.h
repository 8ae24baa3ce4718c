// The optimisers that a parameter server applies: what PyTorch 1.13 does, on plain floats.
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

const char* OptimiserName(OptimiserOptions::Kind kind);
base::Result<OptimiserOptions::Kind> ParseOptimiser(const std::string& name);

// State for `size` parameters. Threads may apply to ranges that do not overlap at the same time;
// everything else is for one thread.
class Optimiser {
 public:
  Optimiser(const OptimiserOptions& options, size_t size);

  // The number of a new step, from 1 on.
  uint64_t BeginStep() { return ++state_.steps; }
  // Moves parameters[i] along -gradient[i] as part of that step; they are number `begin` on of all.
  void Apply(uint64_t step, size_t begin, std::span<const float> gradient,
             std::span<float> parameters);

  // Everything a step depends on beside the parameters: for checkpoints.
  struct State {
    uint64_t steps = 0;
    std::vector<float> first;   // momentum, or Adam's mean; may be empty
    std::vector<float> second;  // Adam's mean square; may be empty
  };
  const State& state() const { return state_; }
  // kCorrupt when it does not fit the options and the size.
  base::Status Restore(State state);

 private:
  OptimiserOptions options_;
  State state_;
};

}  // namespace reckon::train
