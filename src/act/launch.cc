#include "act/launch.h"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/field_reader.h"

namespace reckon::act {
namespace {

using base::FieldReader;
using base::Json;

constexpr std::pair<OnDeath, const char*> kOnDeathNames[] = {
    {OnDeath::kFail, "fail"}, {OnDeath::kGoOn, "go_on"}, {OnDeath::kRestart, "restart"}};

const char* OnDeathName(OnDeath on_death) {
  for (const auto& [value, name] : kOnDeathNames) {
    if (value == on_death) return name;
  }
  return "fail";
}

}  // namespace

std::string ProcessName(const ProcessSpec& process) {
  if (!process.title.empty()) return process.title;
  return fmt::format("{} {}", process.role, process.index);
}

Json ToJson(const Place& place) {
  return {{"host", place.host},   {"address", place.address},
          {"netns", place.netns}, {"cgroups", place.cgroups},
          {"cpus", place.cpus},   {"memory_bytes", place.memory_bytes}};
}

Json ToJson(const core::EarlyStop& stop) {
  return {{"accuracy", stop.accuracy ? Json(*stop.accuracy) : Json()},
          {"least_gain", stop.least_gain},
          {"confidence", stop.confidence},
          {"epochs", stop.epochs}};
}

Json ToJson(const ProcessSpec& process) {
  Json json = {{"role", process.role},
               {"index", process.index},
               {"argv", process.argv},
               {"env", process.env},
               {"workdir", process.workdir},
               {"place", ToJson(process.place)},
               {"on_death", OnDeathName(process.on_death)},
               {"log", process.log},
               {"title", process.title},
               {"app", process.app},
               {"settle_s", process.settle_s},
               {"reports", process.reports}};
  if (process.sandbox) json["sandbox"] = ToJson(*process.sandbox);
  return json;
}

std::string PartMark(const LaunchSpec& spec) { return spec.token + "/" + spec.part; }

std::string MarkOf(const LaunchSpec& spec) {
  return spec.part.empty() ? "RECKON_TOKEN=" + spec.token
                           : std::string(kPartVariable) + "=" + PartMark(spec);
}

std::vector<LaunchSpec> PartsOf(const LaunchSpec& spec) {
  std::vector<LaunchSpec> parts;
  for (const ProcessSpec& process : spec.processes) {
    const std::string& host = process.place.host;
    auto part = std::find_if(parts.begin(), parts.end(),
                             [&](const LaunchSpec& one) { return one.part == host; });
    if (part == parts.end()) {
      part = parts.insert(parts.end(), spec);
      part->part = host;
      part->processes.clear();
      part->store.clear();  // a part tells its manager, not the store
    }
    part->processes.push_back(process);
  }
  return parts;
}

Json ToJson(const LaunchSpec& spec) {
  Json json = {{"run_id", spec.run_id},
               {"name", spec.name},
               {"setup", spec.setup},
               {"setup_workdir", spec.setup_workdir},
               {"setup_env", spec.setup_env},
               {"processes", Json::array()},
               {"stop_grace_s", spec.stop_grace_s},
               {"time_limit_s", spec.time_limit_s ? Json(*spec.time_limit_s) : Json()},
               {"baseline_s", spec.baseline_s},
               {"ends_within_s", spec.ends_within_s},
               {"most_restarts", spec.most_restarts},
               {"status_host", spec.status_host},
               {"token", spec.token},
               {"part", spec.part},
               {"store", spec.store}};
  if (spec.setup_sandbox) json["setup_sandbox"] = ToJson(*spec.setup_sandbox);
  if (spec.early_stop) json["early_stop"] = ToJson(*spec.early_stop);
  for (const ProcessSpec& process : spec.processes) json["processes"].push_back(ToJson(process));
  return json;
}

base::Result<core::EarlyStop> EarlyStopFromJson(const Json& json, const std::string& path) {
  core::EarlyStop stop;
  FieldReader fields(json, path);
  fields.Read("accuracy", stop.accuracy);
  fields.Read("least_gain", stop.least_gain);
  fields.Read("confidence", stop.confidence);
  fields.Read("epochs", stop.epochs);
  RECKON_TRY(fields.Check());
  return stop;
}

base::Result<Place> PlaceFromJson(const Json& json, const std::string& path) {
  Place place;
  FieldReader fields(json, path);
  fields.ReadFileName("host", place.host);
  fields.Read("address", place.address);
  fields.Read("netns", place.netns);
  fields.Read("cgroups", place.cgroups);
  fields.Read("cpus", place.cpus);
  int64_t memory_bytes = 0;
  fields.Read("memory_bytes", memory_bytes);
  place.memory_bytes = static_cast<uint64_t>(memory_bytes);
  RECKON_TRY(fields.Check());
  return place;
}

base::Result<ProcessSpec> ProcessSpecFromJson(const Json& json, const std::string& path) {
  ProcessSpec process;
  FieldReader fields(json, path);
  for (const char* key : {"role", "index", "argv", "log"}) fields.Require(key);
  fields.Read("role", process.role);
  fields.Read("index", process.index);
  fields.Read("argv", process.argv);
  fields.Read("env", process.env);
  fields.Read("workdir", process.workdir);
  fields.ReadFileName("log", process.log);
  fields.Read("title", process.title);
  fields.Read("app", process.app);
  fields.Read("settle_s", process.settle_s);
  fields.Read("reports", process.reports);
  std::string on_death = OnDeathName(process.on_death);
  fields.Read("on_death", on_death);
  bool known = false;
  for (const auto& [value, name] : kOnDeathNames) {
    if (on_death != name) continue;
    process.on_death = value;
    known = true;
  }
  if (!known) fields.Fail(fields.PathOf("on_death"), "'fail', 'go_on' or 'restart'");
  if (process.role.empty()) fields.Fail(fields.PathOf("role"), "the name of a role");
  if (process.argv.empty() || process.argv[0].empty()) {
    fields.Fail(fields.PathOf("argv"), "a command and its arguments");
  }
  if (const Json* sandbox = fields.Object("sandbox")) {
    RECKON_ASSIGN(process.sandbox, SandboxFromJson(*sandbox, fields.PathOf("sandbox")));
  }
  if (const Json* place = fields.Object("place")) {
    RECKON_ASSIGN(process.place, PlaceFromJson(*place, fields.PathOf("place")));
  }
  RECKON_TRY(fields.Check());
  return process;
}

base::Result<LaunchSpec> LaunchSpecFromJson(const Json& json) {
  LaunchSpec spec;
  FieldReader fields(json, "");
  for (const char* key : {"run_id", "processes", "token"}) fields.Require(key);
  fields.Read("run_id", spec.run_id);
  fields.Read("name", spec.name);
  fields.Read("setup", spec.setup);
  fields.Read("setup_workdir", spec.setup_workdir);
  fields.Read("setup_env", spec.setup_env);
  fields.Read("stop_grace_s", spec.stop_grace_s);
  fields.Read("time_limit_s", spec.time_limit_s);
  fields.Read("baseline_s", spec.baseline_s);
  fields.Read("ends_within_s", spec.ends_within_s);
  fields.Read("most_restarts", spec.most_restarts);
  fields.Read("status_host", spec.status_host);
  fields.Read("token", spec.token);
  fields.Read("part", spec.part);
  fields.Read("store", spec.store);
  if (const Json* sandbox = fields.Object("setup_sandbox")) {
    RECKON_ASSIGN(spec.setup_sandbox, SandboxFromJson(*sandbox, "setup_sandbox"));
  }
  if (const Json* stop = fields.Object("early_stop")) {
    RECKON_ASSIGN(spec.early_stop, EarlyStopFromJson(*stop, "early_stop"));
  }
  if (spec.token.empty()) fields.Fail("token", "a secret");
  std::set<std::pair<std::string, int64_t>> names;
  if (const Json* list = fields.List("processes")) {
    for (const Json& entry : *list) {
      const std::string path = fmt::format("processes[{}]", spec.processes.size());
      RECKON_ASSIGN(ProcessSpec process, ProcessSpecFromJson(entry, path));
      if (!names.emplace(process.role, process.index).second) {
        fields.Fail(path, fmt::format("the only {}", ProcessName(process)));
      }
      spec.processes.push_back(std::move(process));
    }
    bool works = false;
    for (const ProcessSpec& process : spec.processes) works |= process.role == kWorkerRole;
    if (!works && spec.part.empty()) fields.Fail("processes", "a list with a worker in it");
    if (spec.processes.empty()) fields.Fail("processes", "a list that is not empty");
  }
  RECKON_TRY(fields.Check());
  return spec;
}

}  // namespace reckon::act
