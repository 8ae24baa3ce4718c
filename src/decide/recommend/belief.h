// What is believed of configurations from those that were tried: how long each would take to reach
// its goal, and how likely it does.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "core/table.h"
#include "decide/recommend/configuration_inputs.h"
#include "decide/recommend/process_mixture.h"

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
  MixtureView log_seconds;
  Vector ok;  // probability that it reaches its goal

  // Of the time of a row, by all hypotheses together.
  double ExpectedSeconds(size_t row) const;
  // E[max(0, limit - time)].
  double ExpectedBelow(size_t row, double limit) const;
};

// Times by a mixture of processes about a law (time falls with machines and processors), and
// success likewise. Failed trials are censored: their logarithms stand at the mean of what lies
// beyond their times (Schmee and Hahn 1979), as unsure as that is. Not thread-safe.
class Believer {
 public:
  // `configurations`: inputs alone, a row each.
  explicit Believer(const core::Table& configurations);

  // `tried`: at least one. kFailed: as ProcessMixture::Condition.
  base::Result<Belief> Believe(const std::vector<Trial>& tried) const;

  const ConfigurationInputs& inputs() const { return inputs_; }
  // Log time by what is usual, but for a constant.
  Vector Usual() const { return inputs_.linear * inputs_.usual_slope; }

 private:
  base::Result<MixtureView> Times(const std::vector<Trial>& tried) const;
  base::Result<Vector> Success(const std::vector<Trial>& tried) const;

  ConfigurationInputs inputs_;
  ProcessMixture times_;
  ProcessMixture success_;
};

}  // namespace reckon::decide
