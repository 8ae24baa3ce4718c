// How many epochs a training needs to an accuracy, by the images of an update and by how old the
// parameters are that gradients are made with.
//
//   E = E0 (1 + B / Bc) (1 + s / sc)
//
// Up to a critical batch Bc larger batches cost nothing, beyond it they are wasted (McCandlish et
// al., An Empirical Model of Large-Batch Training, 2018); stale gradients are taken to cost
// likewise.
#pragma once

#include <span>
#include <vector>

#include "base/result.h"
#include "decide/recommend/log_normal.h"

namespace reckon::decide {

// One training.
struct EpochsSeen {
  double batch = 0;      // images of an update, > 0
  double staleness = 0;  // updates of others meanwhile
  double epochs = 0;     // until the accuracy was reached, > 0, or for which it was trained
  bool reached = false;  // false: more epochs than these would have been needed
};

class EpochsLaw {
 public:
  // Least squares on the logarithm; trainings that did not reach the accuracy only tell that it
  // takes more. What no two trainings tell apart (one batch, no staleness) does not count.
  // kBadInput: none reached it.
  static base::Result<EpochsLaw> Fit(std::span<const EpochsSeen> seen);

  LogNormal Epochs(double batch, double staleness) const;
  // 0: no effect was seen.
  double per_batch() const { return per_batch_; }          // 1 / Bc
  double per_staleness() const { return per_staleness_; }  // 1 / sc

 private:
  double log_epochs_ = 0;  // of E0
  double per_batch_ = 0;
  double per_staleness_ = 0;
  double deviation_ = 0;  // of the logarithm
};

}  // namespace reckon::decide
