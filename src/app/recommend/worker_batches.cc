#include "app/recommend/worker_batches.h"

#include <algorithm>
#include <cmath>

#include "app/recommend/epochs_to_accuracy.h"

namespace reckon::app {

WorkerBatches::WorkerBatches(const core::Job& job, const CampaignSamples& samples, bool free) {
  if (!job.trainer) return;
  strategy_ = core::StrategyName(job.trainer->strategy);
  if (free) {
    measured_ = ValuesIn(samples.runs, "batch");
    return;
  }
  const std::vector<int64_t>& own = job.trainer->batches;
  double sum = 0;
  for (int64_t i = 0; i < job.workers; ++i) {
    sum += static_cast<double>(own[std::min(static_cast<size_t>(i), own.size() - 1)]);
  }
  const auto workers = static_cast<double>(job.workers);
  update_ = UpdateImages(strategy_, sum / workers, workers);
}

std::vector<double> WorkerBatches::For(const std::string& strategy, double workers) const {
  if (!measured_.empty()) return measured_;
  if (!update_) return {0};
  const double each = *update_ / UpdateImages(strategy.empty() ? strategy_ : strategy, 1, workers);
  return each >= 1 ? std::vector<double>{std::round(each)} : std::vector<double>();
}

}  // namespace reckon::app
