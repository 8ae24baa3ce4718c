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
  json["cpus_per_worker"] = job.cpus_per_worker;
  json["time_limit_s"] = job.time_limit_s ? base::Json(*job.time_limit_s) : base::Json();
  return json;
}

}  // namespace reckon::app
