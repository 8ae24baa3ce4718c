#include "train/job_json.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/file.h"

namespace reckon::train {
namespace {

using base::Json;

// One description of the fields for both directions. Writer and Reader are the two visitors.
template <typename Visitor, typename Job>
void VisitFields(Visitor& visit, Job& job) {
  visit("network", job.network);
  visit("knobs", job.knobs);
  visit("source", job.data.source);
  visit("shape", job.data.shape);
  visit("train_files", job.data.train_files);
  visit("validation_files", job.data.validation_files);
  visit("images", job.data.images);
  visit("validation_images", job.data.validation_images);
  visit("replicate", job.data.replicate);
  visit.Optional("shards_of", job.data.shards_of);
  visit("epochs", job.epochs);
  visit("batches", job.batches);
  visit("shards", job.shards);
  visit("shuffle", job.shuffle);
  visit("seed", job.seed);
  visit("float64", job.float64);
  visit("optimizer", job.optimiser.name);
  visit("rate", job.optimiser.rate);
  visit("momentum", job.optimiser.momentum);
  visit("weight_decay", job.optimiser.weight_decay);
  visit("strategy", job.strategy);
  visit("staleness", job.staleness);
  visit("base_model", job.base_model);
  visit("fine_tune", job.fine_tune);
  visit("save", job.save);
  visit("checkpoint_every", job.checkpoint_every);
  visit.Optional("checkpoint_epochs", job.checkpoint_epochs);
  visit("checkpoint", job.checkpoint);
  visit("patience_s", job.patience_s);
}

struct Writer {
  Json json = Json::object();

  template <typename Value>
  void operator()(const char* name, const Value& value) {
    json[name] = value;
  }
  template <typename Value>
  void Optional(const char* name, const Value& value) {
    json[name] = value;
  }
  void operator()(const char* name, const core::Strategy& strategy) {
    json[name] = core::StrategyName(strategy);
  }
  void operator()(const char* name, const std::optional<int64_t>& value) {
    json[name] = value ? Json(*value) : Json();
  }
};

struct Reader {
  const Json& json;
  std::string problem = {};  // the first one

  template <typename Value>
  void operator()(const char* name, Value& value) {
    Take(name, [&](const Json& field) { value = field.get<Value>(); });
  }
  // Of a field that jobs of earlier versions do not have.
  template <typename Value>
  void Optional(const char* name, Value& value) {
    if (json.contains(name)) (*this)(name, value);
  }
  void operator()(const char* name, core::Strategy& strategy) {
    Take(name, [&](const Json& field) {
      const auto parsed = core::ParseStrategy(field.get<std::string>());
      if (parsed) {
        strategy = *parsed;
      } else {
        problem = fmt::format("'{}': unknown strategy {}", name, field.dump());
      }
    });
  }
  void operator()(const char* name, std::optional<int64_t>& value) {
    Take(name, [&](const Json& field) {
      if (!field.is_null()) value = field.get<int64_t>();
    });
  }

  template <typename Use>
  void Take(const char* name, Use use) {
    if (!problem.empty()) return;
    if (!json.contains(name)) {
      problem = fmt::format("'{}' is missing", name);
      return;
    }
    try {
      use(json[name]);
    } catch (const Json::exception&) {
      problem = fmt::format("'{}' is of another kind: {}", name, json[name].dump());
    }
  }
};

}  // namespace

Json ToJson(const core::TrainerJob& job) {
  Writer writer;
  VisitFields(writer, job);
  return std::move(writer.json);
}

base::Result<core::TrainerJob> ReadTrainerJob(const Json& json) {
  if (!json.is_object()) return base::BadInput("a trainer's job: expected an object");
  core::TrainerJob job;
  Reader reader{json};
  VisitFields(reader, job);
  if (!reader.problem.empty()) return base::BadInput("a trainer's job: " + reader.problem);
  return job;
}

base::Result<core::TrainerJob> ReadTrainerJobFile(const std::filesystem::path& path) {
  RECKON_ASSIGN(const std::string text, base::ReadFile(path));
  RECKON_ASSIGN(const Json json, base::ParseJson(text, path.string()));
  auto job = ReadTrainerJob(json);
  if (!job.ok()) return std::move(job).error().Wrap(path.string());
  return job;
}

}  // namespace reckon::train
