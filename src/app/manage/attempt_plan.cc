#include "app/manage/attempt_plan.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "act/agents/checkpoint_relay.h"
#include "app/runs/background_plan.h"
#include "app/runs/engine.h"
#include "app/runs/job_plan.h"
#include "app/runs/launch_plan.h"
#include "app/runs/run_files.h"
#include "app/runs/seats.h"
#include "app/schedule/model_update.h"
#include "base/field_reader.h"
#include "train/job_json.h"

namespace reckon::app {
namespace {

using base::Json;

Engine EngineOf(const std::vector<act::NodeInfo>& nodes) {
  Engine engine;
  for (const act::NodeInfo& node : nodes) {
    PlannedPlace place;
    place.place.host = node.name;
    place.place.address = node.address;
    place.cpus = node.cpus;
    place.memory_bytes = node.memory_bytes;
    place.device = node.device;
    engine.places.push_back(std::move(place));
    engine.dilation = std::max(engine.dilation, node.dilation);
  }
  return engine;
}

// Files of the job are those of the part's folder on each node.
void MoveToNodes(core::Job& job) {
  job.workdir.clear();
  if (!job.trainer) return;
  core::TrainerJob& trainer = *job.trainer;
  trainer.checkpoint = act::kCheckpointFile;
  // At the end of an epoch others can go on when a node is lost, and nowhere else.
  if (trainer.strategy == core::Strategy::kAllReduce) {
    trainer.checkpoint_epochs = true;
    trainer.checkpoint_every = 0;
  }
  // It comes up to the manager, whatever the job calls it.
  trainer.save = act::kResultFile;
}

// Shares that were dealt out for another number of workers mean nothing.
void LeaveOut(core::Job& job, int64_t workers) {
  if (workers >= job.workers) return;
  job.workers = workers;
  if (!job.trainer) return;
  job.trainer->shards.clear();
  if (job.trainer->batches.size() > 1) {
    job.trainer->batches = {
        *std::min_element(job.trainer->batches.begin(), job.trainer->batches.end())};
  }
}

}  // namespace

base::Result<spec::JobFile> ReadJobText(const JobText& job) {
  RECKON_ASSIGN(spec::Yaml yaml, spec::Yaml::Parse(job.text, job.source));
  for (const spec::Override& one : job.overrides) {
    RECKON_ASSIGN(yaml, yaml.With(one.path, one.value));
  }
  return spec::ReadJob(yaml, job.source);
}

core::Job JobOfUpdate(core::Job job, const UpdateAsk& ask, const UpdatePlan& plan) {
  core::TrainerJob& trainer = *job.trainer;
  core::TrainerData& data = trainer.data;
  data.source = ask.source;
  data.train_files = TrainFilesOf(ask);
  data.validation_files = ValidationFilesOf(ask);
  data.images = ask.images;
  data.validation_images = ask.validation_images;
  data.replicate = 1;
  data.shards_of = ask.print;
  trainer.base_model = ask.base_model ? kBaseModelFile : "";
  if (plan.shares.empty()) return job;
  trainer.shards.clear();
  trainer.batches.clear();
  for (const WorkerShare& share : plan.shares) {
    trainer.shards.push_back(share.images);
    trainer.batches.push_back(share.batch);
  }
  job.workers = static_cast<int64_t>(plan.shares.size());
  job.servers = static_cast<int64_t>(plan.servers.size());
  return job;
}

base::Result<spec::JobFile> ReadUpdateJob(const JobText& job, const UpdateAsk& ask) {
  RECKON_ASSIGN(spec::JobFile file, ReadJobText(job));
  if (!file.job.trainer) {
    return base::BadInput(
        fmt::format("job '{}' has no trainer: what shares of images are to a command nobody knows",
                    file.job.name));
  }
  file.job = JobOfUpdate(std::move(file.job), ask, {});
  if (auto known = ParametersOf(*file.job.trainer); !known.ok()) {
    return file.Placed(std::move(known).error());
  }
  return file;
}

size_t NodesWanted(const core::Job& job) { return static_cast<size_t>(job.workers + job.servers); }

base::Result<AttemptPlan> PlanAttempt(const AttemptRequest& request) {
  core::Job job = request.file.job;
  const auto nodes = static_cast<int64_t>(request.nodes.size());
  if (request.update != nullptr) {
    job = JobOfUpdate(std::move(job), request.update->ask, request.update->plan);
  } else if (request.attempt > 1) {
    LeaveOut(job, std::max<int64_t>(1, nodes - job.servers));
  }
  const Engine engine = EngineOf(request.nodes);
  AttemptPlan planned;
  planned.plan = PlanOf("agents", engine, job);
  planned.plan["workers"] = job.workers;
  const auto placed = [&](base::Status status) -> base::Status {
    if (status.ok()) return status;
    return request.file.Placed(std::move(status).error());
  };
  RECKON_TRY(placed(CheckBackground(job, Seat(job, engine.places))));
  if (job.trainer) {
    auto needs = CheckTrainer(job, engine.places, planned.plan);
    if (!needs.ok()) return request.file.Placed(std::move(needs).error());
  }
  MoveToNodes(job);
  const Programs programs{"@reckon-supervise", "@reckon-worker", "@reckon-ps", "@reckon-stress"};
  LaunchRequest launch{job,           request.run_id,  "",
                       engine.places, "127.0.0.1",     request.store,
                       programs,      engine.dilation, request.attempt};
  RECKON_ASSIGN(const act::LaunchSpec spec, PlanLaunch(launch));
  planned.parts = act::PartsOf(spec);
  if (job.trainer) {
    planned.contents[TrainerFile("").string()] = base::DumpJson(train::ToJson(*job.trainer));
  }
  return planned;
}

Json ToJson(const AttemptPlan& plan) {
  Json json{{"plan", plan.plan}, {"parts", Json::array()}, {"contents", plan.contents}};
  for (const act::LaunchSpec& part : plan.parts) json["parts"].push_back(act::ToJson(part));
  return json;
}

base::Result<AttemptPlan> AttemptPlanFromJson(const Json& json) {
  AttemptPlan plan;
  base::FieldReader fields(json, "");
  for (const char* key : {"plan", "parts", "contents"}) fields.Require(key);
  if (const Json* own = fields.Object("plan")) plan.plan = *own;
  if (const Json* parts = fields.List("parts")) {
    for (const Json& part : *parts) {
      RECKON_ASSIGN(act::LaunchSpec spec, act::LaunchSpecFromJson(part));
      plan.parts.push_back(std::move(spec));
    }
  }
  fields.Read("contents", plan.contents);
  RECKON_TRY(fields.Check());
  return plan;
}

}  // namespace reckon::app
