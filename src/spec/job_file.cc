#include "spec/job_file.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "base/units.h"
#include "spec/background.h"
#include "spec/early_stop.h"
#include "spec/fields.h"
#include "spec/yaml.h"

namespace reckon::spec {
namespace {

using base::Result;
using base::Status;
using Keys = std::vector<std::string>;

constexpr size_t kLongestName = 200;
constexpr int64_t kUsualCheckpoint = 100;  // steps, where a checkpoint is wanted and no more said

Status ReadData(const Yaml& node, const std::filesystem::path& folder, core::TrainerData& data) {
  if (!node) return {};
  RECKON_TRY(node.AllowKeys(Keys{"source", "shape", "train_files", "validation_files", "images",
                                 "validation_images", "replicate"}));
  const Fields fields(node, folder);
  RECKON_TRY(fields.Text("source", data.source));
  if (data.source != "generated") {  // files are read whole unless told otherwise
    data.images = 0;
    data.validation_images = 0;
  }
  RECKON_TRY(fields.Text("shape", data.shape));
  RECKON_TRY(fields.Paths("train_files", data.train_files));
  RECKON_TRY(fields.Paths("validation_files", data.validation_files));
  RECKON_TRY(fields.Whole("images", 1, kMostCount, data.images));
  RECKON_TRY(fields.Whole("validation_images", 1, kMostCount, data.validation_images));
  return fields.Whole("replicate", 1, 1'000'000, data.replicate);
}

Result<core::Strategy> ReadStrategy(const Yaml& node) {
  if (!node) return core::Strategy::kAllReduce;
  RECKON_ASSIGN(const std::string name, node.Text());
  if (const auto strategy = core::ParseStrategy(name)) return *strategy;
  return node.Wrong(fmt::format("one of {}", base::Join(core::StrategyNames(), ", ")));
}

Status ReadCheckpointEvery(const Yaml& node, core::TrainerJob& job) {
  if (!node) return {};
  RECKON_ASSIGN(const std::string text, node.Text());
  if (text == "epoch") {
    job.checkpoint_every = 0;
    job.checkpoint_epochs = true;
    return {};
  }
  const auto number = base::ParseInteger(text);
  if (!number || *number < 1 || *number > kMostCount) {
    return node.Wrong(fmt::format("a whole number from 1 to {}, or epoch", kMostCount));
  }
  job.checkpoint_every = *number;
  return {};
}

Result<core::TrainerJob> ReadTrainer(const Yaml& node, const std::filesystem::path& folder) {
  RECKON_TRY(node.AllowKeys(Keys{"network",      "knobs",     "data",       "epochs",
                                 "batch",        "shards",    "shuffle",    "seed",
                                 "float64",      "optimizer", "rate",       "momentum",
                                 "weight_decay", "strategy",  "staleness",  "base_model",
                                 "fine_tune",    "save",      "checkpoint", "checkpoint_every",
                                 "patience"}));
  core::TrainerJob job;
  const Fields fields(node, folder);
  RECKON_TRY(fields.Text("network", job.network));
  RECKON_TRY(fields.TextMap("knobs", job.knobs));
  RECKON_TRY(ReadData(node["data"], folder, job.data));
  RECKON_TRY(fields.Whole("epochs", 1, 1'000'000, job.epochs));
  RECKON_TRY(fields.Counts("batch", job.batches));
  RECKON_TRY(fields.Counts("shards", job.shards));
  RECKON_TRY(fields.Flag("shuffle", job.shuffle));
  int64_t seed = 1;
  RECKON_TRY(fields.Whole("seed", 0, Yaml::kMost, seed));
  job.seed = static_cast<uint64_t>(seed);
  RECKON_TRY(fields.Flag("float64", job.float64));
  RECKON_TRY(fields.Text("optimizer", job.optimiser.name));
  RECKON_TRY(fields.Number("rate", 0, 1000, job.optimiser.rate));
  RECKON_TRY(fields.Number("momentum", 0, 1, job.optimiser.momentum));
  RECKON_TRY(fields.Number("weight_decay", 0, 1000, job.optimiser.weight_decay));
  RECKON_ASSIGN(job.strategy, ReadStrategy(node["strategy"]));
  if (node["staleness"]) {
    RECKON_ASSIGN(job.staleness, node["staleness"].Whole(0, kMostCount));
  }
  RECKON_TRY(fields.Path("base_model", job.base_model));
  RECKON_TRY(fields.Whole("fine_tune", 0, 1000, job.fine_tune));
  RECKON_TRY(fields.Path("save", job.save));
  RECKON_TRY(fields.Path("checkpoint", job.checkpoint));
  if (!job.checkpoint.empty()) job.checkpoint_every = kUsualCheckpoint;
  RECKON_TRY(ReadCheckpointEvery(node["checkpoint_every"], job));
  RECKON_TRY(fields.Duration("patience", job.patience_s));
  return job;
}

Status ReadResources(const Yaml& node, core::Job& job) {
  if (!node) return {};
  RECKON_TRY(node.AllowKeys(Keys{"cpus"}));
  const Yaml cpus = node["cpus"];
  if (!cpus) return {};
  RECKON_ASSIGN(std::string text, cpus.Text());
  if (text.ends_with('+')) text.pop_back();  // "4+": at least so many
  const auto number = base::ParseNumber(text);
  if (!number || *number <= 0 || *number > 65'536) return cpus.Wrong("a number of processors");
  job.cpus_per_worker = *number;
  return {};
}

// What only the course of a job can tell.
bool IsMeasured(std::string_view name) {
  return name.ends_with("_s") || name.ends_with("_bytes") || name == "accuracy" || name == "loss";
}

Status ReadKnown(const Yaml& node, std::map<std::string, double>& known) {
  if (!node) return {};
  if (!node.IsMap()) return node.Wrong("names and their numbers, like {multiply_adds: 4.2e6}");
  for (const auto& [name, value] : node.entries()) {
    RECKON_ASSIGN(const double number, value.Number());
    if (auto good = CheckKnown(name); !good.ok()) {
      return std::move(good).error().Wrap(value.Place());
    }
    known[name] = number;
  }
  return {};
}

Status ReadWorkers(const Yaml& root, core::Job& job) {
  if (root["num_nodes"] && root["workers"]) {
    return root["workers"].Wrong("num_nodes or workers, not both: they mean the same");
  }
  const Fields fields(root);
  RECKON_TRY(fields.Whole("num_nodes", 1, 65'536, job.workers));
  RECKON_TRY(fields.Whole("workers", 1, 65'536, job.workers));
  const bool with_servers = job.trainer && job.trainer->strategy != core::Strategy::kAllReduce;
  job.servers = with_servers ? 1 : 0;
  RECKON_TRY(fields.Whole("servers", 0, 4096, job.servers));
  if (with_servers && job.servers == 0) {
    return root["servers"].Wrong(fmt::format("1 or more, since the strategy is {}",
                                             core::StrategyName(job.trainer->strategy)));
  }
  if (!with_servers && job.trainer && job.servers > 0) {
    return root["servers"].Wrong("0, since all-reduce needs none");
  }
  return {};
}

}  // namespace

base::Status CheckKnown(std::string_view name) {
  constexpr size_t kLongestKnown = 48;
  const bool spelt = !name.empty() && name.size() <= kLongestKnown && name[0] >= 'a' &&
                     name[0] <= 'z' && std::all_of(name.begin(), name.end(), [](char c) {
                       return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
                     });
  if (spelt && !IsMeasured(name)) return {};
  return base::BadInput(
      fmt::format("expected the name of something known before the start, of small letters, digits "
                  "and '_' (like multiply_adds), found '{}'",
                  name));
}

base::Error JobFile::Placed(base::Error error) const {
  if (error.about().empty()) return error;
  const std::string place = yaml.At(error.about()).Place();
  return std::move(error).Wrap(place);
}

Result<JobFile> ReadJobFile(const std::filesystem::path& path,
                            const std::vector<Override>& overrides) {
  RECKON_ASSIGN(Yaml root, Yaml::ReadFile(path));
  for (const Override& change : overrides) {
    RECKON_ASSIGN(root, root.With(change.path, change.value));
  }
  return ReadJob(root, path);
}

Result<JobFile> ReadJob(const Yaml& root, const std::filesystem::path& path) {
  RECKON_ASSIGN(core::Job job, JobFromYaml(root, path));
  return JobFile{std::move(job), root};
}

Result<core::Job> JobFromYaml(const Yaml& root, const std::filesystem::path& path) {
  if (!root.IsMap()) return root.Wrong("a job: keys and values");
  RECKON_TRY(root.AllowKeys(Keys{"name", "trainer", "setup", "run", "workdir", "envs", "num_nodes",
                                 "workers", "servers", "resources", "time_limit", "early_stop",
                                 "budget", "priority", "background", "known", "describe"}));
  const std::filesystem::path folder = std::filesystem::absolute(path).parent_path();
  core::Job job;
  job.name = path.stem().string();
  const Fields fields(root, folder);
  RECKON_TRY(fields.Text("name", job.name));
  if (job.name.empty()) return root["name"].Wrong("a name");
  if (job.name.size() > kLongestName) {
    return root["name"].Wrong(fmt::format("a name of at most {} bytes", kLongestName));
  }
  if (bool(root["trainer"]) == bool(root["run"])) {
    return base::BadInput(fmt::format(
        "{}: {}; expected either 'trainer' (the built-in one) or 'run' (a command of your own)",
        path.string(), root["run"] ? "both 'trainer' and 'run'" : "neither 'trainer' nor 'run'"));
  }
  if (root["trainer"]) {
    RECKON_ASSIGN(job.trainer, ReadTrainer(root["trainer"], folder));
    if (root["setup"]) return root["setup"].Wrong("no setup: the built-in trainer needs none");
    for (const char* key : {"known", "describe"}) {
      if (root[key]) return root[key].Wrong("nothing: the built-in trainer tells what is known");
    }
  } else {
    core::CommandJob& command = job.command.emplace();
    RECKON_TRY(fields.Text("setup", command.setup));
    RECKON_TRY(fields.Text("run", command.run));
    if (base::Trim(command.run).empty()) return root["run"].Wrong("a command");
    RECKON_TRY(ReadKnown(root["known"], job.known));
    RECKON_TRY(fields.Text("describe", job.describe));
  }
  job.workdir = folder.string();
  RECKON_TRY(fields.Path("workdir", job.workdir));
  RECKON_TRY(fields.Variables("envs", job.envs));
  RECKON_TRY(ReadWorkers(root, job));
  RECKON_TRY(ReadResources(root["resources"], job));
  RECKON_ASSIGN(job.early_stop, ReadEarlyStop(root["early_stop"], job.trainer));
  RECKON_TRY(fields.Whole("priority", -1000, 1000, job.priority));
  if (root["budget"]) {
    RECKON_ASSIGN(job.budget, root["budget"].Number(0, 1e9));
    if (*job.budget == 0) return root["budget"].Wrong("dollars, more than 0");
  }
  RECKON_ASSIGN(job.background, ReadBackground(root["background"]));
  if (root["time_limit"]) {
    double seconds = 0;
    RECKON_TRY(fields.Duration("time_limit", seconds));
    job.time_limit_s = seconds;
  }
  return job;
}

}  // namespace reckon::spec
