// What batch a worker of a cluster has.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/report/samples.h"
#include "core/job.h"

namespace reckon::app {

// The images of an update stay those of the job unless the batch is free: workers that go in step
// share them, others have them each.
class WorkerBatches {
 public:
  // `free`: any batch that the campaign has measured.
  WorkerBatches(const core::Job& job, const CampaignSamples& samples, bool free);

  // `strategy`: empty: the job's. {0}: the job has no batch. None: an update has fewer images than
  // there are workers.
  std::vector<double> For(const std::string& strategy, double workers) const;
  const std::string& strategy() const { return strategy_; }  // of the job

 private:
  std::string strategy_;
  std::optional<double> update_;  // images of an update
  std::vector<double> measured_;  // where the batch is free
};

}  // namespace reckon::app
