// What it costs in time that machines may be taken away.
#pragma once

#include <algorithm>
#include <cmath>

#include "decide/recommend/log_normal.h"

namespace reckon::decide {

struct SpotTerms {
  double interruptions_per_hour = 0.05;  // of one machine
  double checkpoint_s = 10;              // to write one
  double restart_s = 180;                // until another machine is there and goes on
};

// Seconds between checkpoints that cost least (Young 1974), for so many interruptions a second.
inline double CheckpointInterval(const SpotTerms& terms, double rate) {
  return std::min(std::sqrt(2 * terms.checkpoint_s / rate), 1 / rate);
}

// How many times longer a job is expected to take. With M = 1 / rate, interval T, checkpoint d and
// restart R (Daly 2006)
//
//   stretch = M exp(R / M) (exp((T + d) / M) - 1) / T
//
// which also holds where interruptions come more often than machines restart.
inline double SpotStretch(const SpotTerms& terms, double machines) {
  const double rate = terms.interruptions_per_hour * machines / 3600;
  if (rate <= 0) return 1;
  const double interval = CheckpointInterval(terms, rate);
  const double restarts = std::exp(terms.restart_s * rate);
  if (!(interval > 0)) return restarts;  // checkpoints that cost nothing are written all the time
  return restarts * std::expm1((interval + terms.checkpoint_s) * rate) / (rate * interval);
}

// A job's time on spot machines: longer, and less sure. Interruptions are a Poisson process; each
// costs a restart and a part of an interval, evenly drawn.
inline LogNormal OnSpot(const LogNormal& seconds, const SpotTerms& terms, double machines) {
  const double rate = terms.interruptions_per_hour * machines / 3600;
  if (rate <= 0) return seconds;
  const double stretch = SpotStretch(terms, machines);
  const double interval = CheckpointInterval(terms, rate);
  const double lost = terms.restart_s + interval / 2;
  const double whole = seconds.Expected() * stretch;
  const double variance = rate * whole * (lost * lost + interval * interval / 12);
  // Of a log-normal factor of mean 1 with that relative variance.
  const double more = std::log1p(variance / (whole * whole));
  return {seconds.mean + std::log(stretch) - more / 2,
          std::sqrt(seconds.deviation * seconds.deviation + more)};
}

}  // namespace reckon::decide
