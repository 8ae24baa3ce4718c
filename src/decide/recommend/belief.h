// What is believed of configurations from those that were tried: how long each would take to reach
// its goal, and how likely it does.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "base/rng.h"
#include "core/table.h"
#include "decide/design/space.h"
#include "decide/design/surrogate.h"

namespace reckon::decide {

// A configuration that was tried once.
struct Trial {
  size_t row = 0;
  double seconds = 0;  // > 0
  // False: it failed, or had not reached its goal when it was ended. All that its time tells is
  // that success would have taken longer.
  bool ok = true;
};

// Of every configuration.
struct Belief {
  Vector log_seconds;  // means
  Vector deviation;    // of them, without the noise of measuring
  Vector ok;           // probability that it reaches its goal
};

// A law as prior (time falls with the processors of all machines together), a Gaussian process for
// what it leaves over, and another one for success, which larger clusters are taken to have more
// often: memory suffices, time does. Failed trials are censored: their logarithms
// stand at the mean of what lies beyond their times (Schmee and Hahn 1979). Not thread-safe.
class Believer {
 public:
  // `configurations`: inputs alone, a row each.
  Believer(const core::Table& configurations, uint64_t seed);

  // kFailed: as Surrogate::Condition.
  base::Result<Belief> Believe(const std::vector<Trial>& tried) const;

  const Space& space() const { return space_; }

 private:
  base::Result<Surrogate> TimeModel(const std::vector<Trial>& tried) const;
  base::Result<Surrogate> SuccessModel(const std::vector<Trial>& tried) const;

  Space space_;
  Vector law_;   // log time by the prior, but for a constant
  Vector size_;  // of the cluster: mean 0, deviation 1
  base::Rng rng_;
};

}  // namespace reckon::decide
