// Many Gaussian processes, each by another hypothesis of how quickly a quantity changes along each
// input, weighted by how well they explain what was seen. With a handful of observations no single
// choice of these parameters can be trusted: the likeliest is too sure of itself.
#pragma once

#include <span>
#include <vector>

#include "base/result.h"
#include "base/rng.h"
#include "decide/recommend/configuration_inputs.h"

namespace reckon::decide {

struct MixturePrior {
  size_t hypotheses = 128;
  double length = 2;  // over which inputs of deviation 1 matter; medians of log-normal draws
  double length_spread = 0.6;
  double signal = 0.25;  // deviation of what the line leaves over
  double noise = 0.05;   // deviation of measurements
  double spread = 0.6;   // of both
  double constant = 1;   // deviation of the level, about the mean of what was seen if `centred`
  bool centred = true;
  // A job whose data come to fit into the memory of all machines may suddenly be quicker, by a
  // factor that nothing seen before tells: the chance of that, and the log of the factor.
  double cliff_chance = 0;
  double cliff = 1.2;
  double cliff_spread = 0.5;
};

// What is believed of every configuration, by each hypothesis that still counts.
struct MixtureView {
  Vector weight;     // sums to 1
  Matrix mean;       // hypothesis x configuration
  Matrix deviation;  // without the noise of measuring
  Vector noise;      // deviation
};

// Not thread-safe.
class ProcessMixture {
 public:
  // The line: `linear` with slopes about `slope`, deviating by `deviation`.
  ProcessMixture(const ConfigurationInputs& inputs, Matrix linear, Vector slope, Vector deviation,
                 const MixturePrior& prior, base::Rng rng);

  // `rows` at least one, each once; `variance`: of each observation beside the noise. kFailed when
  // no hypothesis can be solved, which the noise prevents on finite input.
  base::Result<MixtureView> Condition(std::span<const size_t> rows, const Vector& values,
                                      const Vector& variance) const;

 private:
  struct Hypothesis {
    Matrix near;  // nearness by its lengths
    double signal = 0;
    double noise = 0;
    double slopes = 1;  // factor of the slopes' deviation
    Vector mean;
  };
  Matrix Covariance(const Hypothesis& hypothesis, std::span<const size_t> rows) const;

  Matrix linear_;
  Vector deviation_;
  double constant_ = 1;
  bool centred_ = true;
  std::vector<Hypothesis> hypotheses_;
};

}  // namespace reckon::decide
