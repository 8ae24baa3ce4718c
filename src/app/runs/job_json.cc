#include "app/runs/job_json.h"

#include <nlohmann/json.hpp>

#include "train/job_json.h"

namespace reckon::app {

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
  return json;
}

}  // namespace reckon::app
