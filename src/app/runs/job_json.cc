#include "app/runs/job_json.h"

#include <nlohmann/json.hpp>

#include "act/launch.h"
#include "train/job_json.h"

namespace reckon::app {

namespace {

base::Json ToJson(const std::vector<core::BackgroundLoad>& loads) {
  base::Json list = base::Json::array();
  for (const core::BackgroundLoad& load : loads) {
    base::Json one{{"name", load.name}, {"on", load.on}, {"settle_s", load.settle_s}};
    if (load.stress) {
      one["cpu"] = load.stress->cpu;
      one["memory"] = load.stress->memory;
      one["disk_bytes_s"] = load.stress->disk_bytes_s;
      one["gpu"] = load.stress->gpu;
    } else {
      one["run"] = load.run;
      if (load.deadline_s) one["deadline_s"] = *load.deadline_s;
    }
    list.push_back(std::move(one));
  }
  return list;
}

}  // namespace

base::Json ToJson(const core::Job& job) {
  base::Json json;
  json["name"] = job.name;
  if (job.trainer) json["trainer"] = train::ToJson(*job.trainer);
  if (job.command) {
    json["setup"] = job.command->setup;
    json["run"] = job.command->run;
  }
  json["workdir"] = job.workdir;
  json["envs"] = job.envs;
  json["workers"] = job.workers;
  json["servers"] = job.servers;
  const auto number = [](const std::optional<double>& value) {
    return value ? base::Json(*value) : base::Json();
  };
  json["cpus_per_worker"] = number(job.cpus_per_worker);
  json["time_limit_s"] = number(job.time_limit_s);
  if (job.priority != 0) json["priority"] = job.priority;
  if (job.budget) json["budget"] = *job.budget;
  if (job.early_stop) json["early_stop"] = act::ToJson(*job.early_stop);
  if (!job.known.empty()) json["known"] = job.known;
  if (!job.background.empty()) json["background"] = ToJson(job.background);
  return json;
}

}  // namespace reckon::app
