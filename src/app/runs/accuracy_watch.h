// Whether a training may end before its last epoch: fed with the events of its workers, one after
// the other, as they come.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/runs/run_view.h"
#include "base/json.h"
#include "core/job.h"
#include "watch/convergence.h"

namespace reckon::app {

// The validated epochs of a run as the curve that grows with them. Epochs count from 1; those that
// are still being validated are left out: some of their workers have told, and more are expected.
std::vector<watch::EpochAccuracy> AccuraciesOf(const RunView& view, int64_t workers);

// What the job's wish comes to for epochs of that curve.
watch::StopWish StopWishOf(const core::EarlyStop& wish);

// What the accuracies of a run promise, by the job that the store keeps of it.
struct AccuracyOutlook {
  double asked = 0;                     // epochs
  watch::EpochAccuracy last;            // that was validated
  std::optional<double> target;         // accuracy
  std::optional<watch::Likely> epochs;  // in all: until the target, or until going on is of no use
  std::optional<watch::Likely> accuracy;  // after all epochs that were asked for
};

// nullopt: too few epochs have been validated, or nobody knows how many are asked for.
std::optional<AccuracyOutlook> OutlookOf(const base::Json& job, const RunView& view);
base::Json ToJson(const AccuracyOutlook& outlook);

// For one thread at a time.
class AccuracyWatch {
 public:
  AccuracyWatch(const core::EarlyStop& wish, int64_t workers)
      : wish_(StopWishOf(wish)), workers_(workers) {}

  // Why the training may end now; nullopt: it goes on. Events that tell no accuracy of an epoch are
  // passed over.
  std::optional<std::string> Take(const base::Json& event);

 private:
  const watch::StopWish wish_;
  const int64_t workers_;
  RunView view_;          // of accuracies alone
  size_t looked_at_ = 0;  // epochs
};

}  // namespace reckon::app
