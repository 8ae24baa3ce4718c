// What is known of all candidates from those measured: a Gaussian process on log time.
#pragma once

#include <span>
#include <vector>

#include "base/result.h"
#include "base/rng.h"
#include "decide/design/design.h"
#include "decide/design/space.h"
#include "numeric/gaussian_process.h"

namespace reckon::decide {

using numeric::Matrix;
using numeric::Vector;

// The distinct candidates that were measured, with the logs of their times.
struct Observed {
  std::vector<size_t> rows;
  Vector log_seconds;  // medians of repeats
  Vector log_took;     // how long measuring took, likewise
  // Repeats over their mean: noise is that of a candidate measured as often as usual, since most of
  // what a law leaves over does not average out.
  Vector count;
};

Observed Collect(std::span<const Measurement> measured);

// In units of log time: the prior of a law whose terms (x, log x, 1/x, a factor a level) have
// normal weights, plus a smooth deviation from it.
using LogKernel = numeric::ProcessKernel;

// By likelihood from six candidates on, else a broad guess.
LogKernel ChooseKernel(const Space& space, const Observed& observed, const base::Rng& rng);

// The process given what was observed.
class Surrogate {
 public:
  // kFailed when the covariance is not definite, which the noise prevents on finite input.
  static base::Result<Surrogate> Condition(const Space& space, LogKernel kernel, Observed observed);

  // What is believed of some candidates.
  struct View {
    std::vector<size_t> rows;
    Vector log_seconds;  // posterior means
    Vector log_took;
    Vector variance;  // of log time, without the noise of measuring
    Matrix whitened;  // L^-1 k(observed, rows)
  };
  View Look(std::vector<size_t> rows) const;
  // Posterior covariance of log time between candidates.
  Matrix Covariance(const View& a, const View& b) const;
  // Of each observed candidate: its log time less the forecast from all the others, and the
  // deviation that forecast claims (Rasmussen and Williams 2006, equations 5.10 to 5.12).
  struct LeftOut {
    Vector residual;
    Vector deviation;
  };
  LeftOut LeaveOneOut() const;

  const LogKernel& kernel() const { return kernel_; }
  const Observed& observed() const { return observed_; }

 private:
  Surrogate(const Space& space, LogKernel kernel, Observed observed);
  Matrix Prior(std::span<const size_t> a, std::span<const size_t> b) const;

  const Space* space_;
  LogKernel kernel_;
  Observed observed_;
  Matrix scaled_;  // features times the square roots of their weights
  Matrix lower_;   // Cholesky factor of the covariance of what was observed
  double seconds_mean_ = 0;
  double took_mean_ = 0;
  Vector seconds_white_;  // L^-1 (log_seconds - mean)
  Vector took_white_;
};

}  // namespace reckon::decide
