// A model update as its two files describe it: the cluster and the job, and what is known of both.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "app/context.h"
#include "app/schedule/cluster_estimates.h"
#include "base/result.h"
#include "core/cluster.h"
#include "decide/schedule/schedule.h"
#include "spec/job_file.h"

namespace reckon::app {

// The cluster's workers and their apps; samples and epochs are yet to be told. It refers to
// `estimates`.
decide::ScheduleProblem ProblemOf(const core::Cluster& cluster, const ClusterEstimates& estimates);

// Parameters of the network that a trainer's job trains. kBadInput.
base::Result<size_t> ParametersOf(const core::TrainerJob& job);

struct ModelUpdateFiles {
  std::string cluster_file;
  std::string job_file;
  std::optional<int64_t> least_batch;
  std::optional<int64_t> most_batch;
  double memory_limit = 0.9;  // share of a node's memory that may be used
};

struct ModelUpdate {
  core::Cluster cluster;
  spec::JobFile file;
  std::unique_ptr<ClusterEstimates> estimates;
  int64_t samples = 0;
  int64_t epochs = 0;
  size_t parameters = 0;  // of the network
  int64_t least_batch = 1;
  int64_t most_batch = INT64_MAX;

  // It refers to `estimates`: not longer than this update.
  decide::ScheduleProblem Problem() const;
};

// kBadInput: files that are wrong, types of which nothing is known, a job without a trainer.
base::Result<ModelUpdate> ReadModelUpdate(const ModelUpdateFiles& files, const Context& context);

}  // namespace reckon::app
