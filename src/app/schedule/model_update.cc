#include "app/schedule/model_update.h"

#include <utility>

#include <fmt/format.h>

#include "spec/cluster_file.h"
#include "train/check_job.h"

namespace reckon::app {
namespace {

using base::Result;

Result<int64_t> SamplesOf(const spec::JobFile& file) {
  if (!file.job.trainer) {
    return base::BadInput(
        fmt::format("job '{}' has no trainer; how many samples a command trains with is not known",
                    file.job.name));
  }
  const core::TrainerData& data = file.job.trainer->data;
  if (data.images < 1) {
    return file.Placed(
        base::BadInput("expected the number of images to share out").About("trainer.data.images"));
  }
  return data.images * data.replicate;
}

}  // namespace

Result<size_t> ParametersOf(const core::TrainerJob& job) {
  // One worker: what is asked for is the network, not who shares its images.
  core::TrainerJob alone = job;
  alone.shards.clear();
  alone.batches = {1};
  RECKON_ASSIGN(const train::CheckedJob checked, train::CheckJob(alone, 1));
  return checked.network.parameters();
}

decide::ScheduleProblem ProblemOf(const core::Cluster& cluster, const ClusterEstimates& estimates) {
  decide::ScheduleProblem problem{.estimates = estimates};
  for (const core::ClusterWorker& worker : cluster.workers) {
    decide::ScheduleWorker one{.name = worker.node.name,
                               .apps = {},
                               .transfer_s_per_sample = worker.transfer_s_per_sample,
                               .initialise_s = worker.initialise_s};
    for (const core::BackgroundApp& app : worker.node.background_apps) {
      one.apps.push_back({app.name, app.deadline_s});
    }
    problem.workers.push_back(std::move(one));
  }
  problem.least_batch = estimates.MinBatch();
  return problem;
}

decide::ScheduleProblem ModelUpdate::Problem() const {
  decide::ScheduleProblem problem = ProblemOf(cluster, *estimates);
  problem.samples = samples;
  problem.epochs = epochs;
  problem.least_batch = least_batch;
  problem.most_batch = most_batch;
  return problem;
}

Result<ModelUpdate> ReadModelUpdate(const ModelUpdateFiles& files, const Context& context) {
  if (files.cluster_file.empty()) return base::BadInput("no cluster; name it with --cluster");
  if (files.job_file.empty()) return base::BadInput("no job; name it with --job");
  ModelUpdate update;
  RECKON_ASSIGN(update.cluster, spec::ReadClusterFile(files.cluster_file));
  RECKON_ASSIGN(update.file, spec::ReadJobFile(files.job_file, {}));
  RECKON_ASSIGN(update.samples, SamplesOf(update.file));
  update.epochs = update.file.job.trainer->epochs;
  auto parameters = ParametersOf(*update.file.job.trainer);
  if (!parameters.ok()) return update.file.Placed(std::move(parameters).error());
  update.parameters = *parameters;
  RECKON_ASSIGN(update.estimates,
                ClusterEstimates::Open(update.cluster, static_cast<double>(update.parameters),
                                       files.memory_limit, EstimatesOf(context)));
  update.least_batch = files.least_batch.value_or(update.estimates->MinBatch());
  if (files.most_batch) update.most_batch = *files.most_batch;
  return update;
}

}  // namespace reckon::app
