// What it costs in time that machines may be taken away.
#pragma once

#include <cmath>

namespace reckon::decide {

struct SpotTerms {
  double interruptions_per_hour = 0.05;  // of one machine
  double checkpoint_s = 10;              // to write one
  double restart_s = 180;                // until another machine is there and goes on
};

// How many times longer a job takes: checkpoints as often as is best (Young 1974: every
// sqrt(2 * checkpoint / rate)), half an interval lost and a restart at every interruption. First
// order in the rate: of a cluster that is interrupted more often than it restarts it says at least.
inline double SpotStretch(const SpotTerms& terms, double machines) {
  const double rate = terms.interruptions_per_hour * machines / 3600;
  if (rate <= 0) return 1;
  const double interval = std::sqrt(2 * terms.checkpoint_s / rate);
  const double writing = interval > 0 ? terms.checkpoint_s / interval : 0;
  return 1 + writing + rate * (interval / 2 + terms.restart_s);
}

}  // namespace reckon::decide
