#include "act/launch.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace reckon::act {
namespace {

using base::Json;

constexpr std::pair<OnDeath, const char*> kOnDeathNames[] = {
    {OnDeath::kFail, "fail"}, {OnDeath::kGoOn, "go_on"}, {OnDeath::kRestart, "restart"}};

const char* OnDeathName(OnDeath on_death) {
  for (const auto& [value, name] : kOnDeathNames) {
    if (value == on_death) return name;
  }
  return "fail";
}

// Reads the fields of one object into variables; remembers the first problem with its path, and
// refuses fields that nobody read. A field that is not there leaves the variable as it is, unless
// it is required.
class FieldReader {
 public:
  FieldReader(const Json& json, std::string path) : json_(json), path_(std::move(path)) {
    if (!json.is_object()) Fail(path_, "an object");
  }

  bool Has(const char* key) {
    read_.insert(key);
    return problem_.empty() && json_.contains(key) && !json_.at(key).is_null();
  }
  void Require(const char* key) {
    if (!Has(key) && problem_.empty()) problem_ = fmt::format("{} is missing", PathOf(key));
  }
  void Read(const char* key, std::string& text) {
    if (const Json* value = Get(key, &Json::is_string, "text")) text = value->get<std::string>();
  }
  void Read(const char* key, int64_t& number) {
    if (const Json* value = Get(key, &Json::is_number_integer, "a whole number")) {
      number = value->get<int64_t>();
      if (number < 0) Fail(PathOf(key), "a whole number of at least 0");
    }
  }
  void Read(const char* key, double& number) {
    if (const Json* value = Get(key, &Json::is_number, "a number of at least 0")) {
      number = value->get<double>();
      if (!std::isfinite(number) || number < 0) Fail(PathOf(key), "a number of at least 0");
    }
  }
  void Read(const char* key, bool& flag) {
    if (const Json* value = Get(key, &Json::is_boolean, "true or false")) flag = value->get<bool>();
  }
  void Read(const char* key, std::optional<double>& number) {
    if (!Has(key)) return;
    double value = 0;
    Read(key, value);
    number = value;
  }
  void Read(const char* key, std::vector<std::string>& list) {
    const Json* value = Get(key, &Json::is_array, "a list of texts");
    if (value == nullptr) return;
    list.clear();
    for (const Json& entry : *value) {
      if (!entry.is_string()) return Fail(PathOf(key), "a list of texts");
      list.push_back(entry.get<std::string>());
    }
  }
  void Read(const char* key, std::map<std::string, std::string>& map) {
    const Json* value = Get(key, &Json::is_object, "an object of texts");
    if (value == nullptr) return;
    map.clear();
    for (const auto& [name, entry] : value->items()) {
      const bool sound = entry.is_string() && !name.empty() && name.find('=') == std::string::npos;
      if (!sound) return Fail(PathOf(key) + "." + name, "a variable's name and its text");
      map[name] = entry.get<std::string>();
    }
  }
  // A name that becomes a file's in the run folder.
  void ReadFileName(const char* key, std::string& name) {
    Read(key, name);
    if (name.empty() || name.find('/') != std::string::npos || name == "." || name == "..") {
      Fail(PathOf(key), "a name without '/'");
    }
  }
  const Json* Object(const char* key) { return Get(key, &Json::is_object, "an object"); }
  const Json* List(const char* key) { return Get(key, &Json::is_array, "a list"); }

  std::string PathOf(const char* key) const {
    return path_.empty() ? std::string(key) : path_ + "." + key;
  }
  void Fail(const std::string& path, std::string_view expected) {
    if (problem_.empty()) problem_ = fmt::format("{} is not {}", path, expected);
  }
  base::Status Check() {
    if (problem_.empty() && json_.is_object()) {
      for (const auto& [name, value] : json_.items()) {
        if (!read_.contains(name)) return base::BadInput(PathOf(name.c_str()) + " is not known");
      }
    }
    return problem_.empty() ? base::Status() : base::BadInput(problem_);
  }

 private:
  using Test = bool (Json::*)() const noexcept;

  const Json* Get(const char* key, Test test, const char* expected) {
    if (!Has(key)) return nullptr;
    const Json& value = json_.at(key);
    if ((value.*test)()) return &value;
    Fail(PathOf(key), expected);
    return nullptr;
  }

  const Json& json_;
  std::string path_;
  std::string problem_;
  std::set<std::string> read_;
};

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

Json ToJson(const ProcessSpec& process) {
  return {{"role", process.role},
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
  for (const ProcessSpec& process : spec.processes) json["processes"].push_back(ToJson(process));
  return json;
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
