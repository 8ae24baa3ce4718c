#include "app/stored_models.h"

#include <map>
#include <vector>

#include <nlohmann/json.hpp>

#include "app/model_source.h"

namespace reckon::app {
namespace {

using base::Json;

Json VersionJson(const core::ModelRecord& record) {
  return {{"id", record.id},
          {"technique", record.technique},
          {"target", record.target},
          {"fitted_at", base::FormatTime(record.created_at)}};
}

Json InputJson(const learn::InputColumn& input) {
  Json json{{"name", input.name}, {"kind", core::ColumnKindName(input.kind)}};
  if (input.kind == core::ColumnKind::kNumber) {
    json["min"] = input.min;
    json["max"] = input.max;
    json["typical"] = input.typical;
  } else {
    json["levels"] = input.levels;
    json["typical"] = input.levels[static_cast<size_t>(input.typical)];
  }
  return json;
}

}  // namespace

base::Result<Json> ListStoredModels(store::Store& store) {
  RECKON_ASSIGN(const std::vector<core::ModelRecord> all, store.ListModels());
  Json json{{"models", Json::array()}};
  std::map<std::string, size_t> place;
  for (const core::ModelRecord& record : all) {  // newest first
    const auto [found, is_new] = place.try_emplace(record.name, json["models"].size());
    if (is_new) {
      Json model = VersionJson(record);
      model["name"] = record.name;
      model["versions"] = 0;
      json["models"].push_back(std::move(model));
    }
    Json& versions = json["models"][found->second]["versions"];
    versions = versions.get<int64_t>() + 1;
  }
  return json;
}

base::Result<Json> DescribeStoredModel(const std::string& name, store::Store& store) {
  RECKON_ASSIGN(const LoadedModel loaded, LoadStoredModel(name, store));
  RECKON_ASSIGN(const std::vector<core::ModelRecord> all, store.ListModels());
  const learn::Model& model = loaded.model;
  Json json{{"name", name},
            {"id", *loaded.store_id},
            {"target", model.schema.target},
            {"technique", model.fitted.candidate.technique},
            {"description", model.fitted.candidate.Describe()},
            {"rows", model.rows},
            {"extrapolate", model.extrapolate},
            {"samples", model.origin.samples},
            {"level_percent", 100 * model.interval.level},
            {"inputs", Json::array()},
            {"leaderboard", Json::array()},
            {"versions", Json::array()}};
  for (const learn::InputColumn& input : model.schema.inputs) {
    json["inputs"].push_back(InputJson(input));
  }
  for (const learn::LeaderboardRow& row : model.leaderboard) {
    const auto& error = row.selection.mape_percent;
    json["leaderboard"].push_back({{"technique", row.technique},
                                   {"description", row.description},
                                   {"mape_percent", error ? Json(*error) : Json()}});
  }
  for (const core::ModelRecord& record : all) {
    if (record.name == name) json["versions"].push_back(VersionJson(record));
  }
  return json;
}

}  // namespace reckon::app
