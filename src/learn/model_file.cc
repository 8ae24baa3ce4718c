#include "learn/model_file.h"

#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/fingerprint.h"
#include "base/json.h"
#include "learn/candidate_json.h"
#include "learn/features/roles_json.h"
#include "learn/json_fields.h"
#include "learn/regressors/registry.h"

namespace reckon::learn {
namespace {

using base::Error;
using base::ErrorCode;
using base::Json;
using base::Result;

constexpr const char* kFormat = "reckon-model";

Json ColumnToJson(const InputColumn& input) {
  Json json;
  json["name"] = input.name;
  json["kind"] = core::ColumnKindName(input.kind);
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

Json ToJson(const Origin& origin) {
  return {
      {"samples", origin.samples}, {"ignored", origin.ignored}, {"techniques", origin.techniques}};
}

Result<Origin> OriginFromJson(const Json& json) {
  JsonFields fields(json, "provenance.origin");
  Origin origin;
  origin.samples = fields.Text("samples");
  const auto read = [&](const char* name, std::vector<std::string>& texts) {
    for (const Json& one : fields.List(name)) {
      if (!one.is_string()) {
        fields.Fail(fmt::format("provenance.origin.{} must be texts", name));
        return;
      }
      texts.push_back(one.get<std::string>());
    }
  };
  read("ignored", origin.ignored);
  read("techniques", origin.techniques);
  RECKON_TRY(fields.Check());
  return origin;
}

Result<InputColumn> ColumnFromJson(const Json& json, size_t index) {
  JsonFields fields(json, fmt::format("columns[{}]", index));
  InputColumn input;
  input.name = fields.Text("name");
  const std::string kind = fields.Text("kind");
  if (kind == "number") {
    input.kind = core::ColumnKind::kNumber;
    input.min = fields.Number("min");
    input.max = fields.Number("max");
    input.typical = fields.Number("typical");
    if (input.min > input.max) fields.Fail(fmt::format("columns[{}]: min is above max", index));
  } else if (kind == "category") {
    input.kind = core::ColumnKind::kCategory;
    const std::string typical = fields.Text("typical");
    std::set<std::string> seen;
    bool known = false;
    for (const Json& level : fields.List("levels")) {
      if (!level.is_string() || !seen.insert(level.get<std::string>()).second) {
        fields.Fail(fmt::format("columns[{}].levels must be different texts", index));
        break;
      }
      if (level.get<std::string>() == typical) {
        known = true;
        input.typical = static_cast<double>(input.levels.size());
      }
      input.levels.push_back(level.get<std::string>());
    }
    if (!known) fields.Fail(fmt::format("columns[{}].typical is none of its levels", index));
  } else {
    fields.Fail(fmt::format("columns[{}].kind is neither number nor category", index));
  }
  RECKON_TRY(fields.Check());
  return input;
}

Result<Metrics> MetricsFromJson(const Json& json) {
  JsonFields fields(json, "errors");
  Metrics metrics;
  metrics.mape_percent = fields.MaybeNumber("mape_percent");
  metrics.rmse = fields.Number("rmse");
  metrics.r2 = fields.MaybeNumber("r2");
  metrics.rows = fields.Count("rows");
  RECKON_TRY(fields.Check());
  return metrics;
}

Json UnidentifiedToJson(const Unidentified& found) {
  Json json;
  json["kind"] = UnidentifiedName(found.kind);
  json["columns"] = found.columns;
  json["what"] = found.what;
  json["next"] = found.next;
  return json;
}

Result<Unidentified> UnidentifiedFromJson(const Json& json) {
  JsonFields fields(json, "unidentified");
  Unidentified found;
  const std::string kind = fields.Text("kind");
  found.what = fields.Text("what");
  found.next = fields.Text("next");
  for (const Json& column : fields.List("columns")) {
    if (!column.is_string()) return base::Corrupt("unidentified.columns must be texts");
    found.columns.push_back(column.get<std::string>());
  }
  RECKON_TRY(fields.Check());
  RECKON_ASSIGN(found.kind, ParseUnidentified(kind));
  return found;
}

Result<Model> ModelFromJson(const Json& json) {
  JsonFields fields(json, "model");
  Model model;
  model.schema.target = fields.Text("target");
  const Json& columns = fields.List("columns");
  const Json& candidate = fields.Object("candidate");
  const Json& predictor = fields.Object("predictor");
  const Json& range = fields.Object("target_range");
  const Json& interval = fields.Object("interval");
  const Json& leaderboard = fields.List("leaderboard");
  const Json& provenance = fields.Object("provenance");
  RECKON_TRY(fields.Check());

  std::set<std::string> names;
  for (const Json& column : columns) {
    RECKON_ASSIGN(InputColumn input, ColumnFromJson(column, model.schema.inputs.size()));
    if (!names.insert(input.name).second) {
      return base::Corrupt(fmt::format("column '{}' is there twice", input.name));
    }
    model.schema.inputs.push_back(std::move(input));
  }
  RECKON_ASSIGN(model.fitted.candidate, CandidateFromJson(candidate));
  auto technique = FindTechnique(model.fitted.candidate.technique);
  if (!technique.ok()) return base::Corrupt(technique.error().message());
  RECKON_ASSIGN(model.fitted.predictor, (*technique)->Load(predictor, model.schema));
  RECKON_ASSIGN(model.fitted.range, RangeFromJson(range));
  RECKON_ASSIGN(model.interval, IntervalRule::FromJson(interval));
  for (const Json& entry : leaderboard) {
    JsonFields row(entry, "leaderboard");
    LeaderboardRow parsed{row.Text("technique"), row.Text("description"), {}, {}};
    const Json& training = row.Object("training");
    const Json& selection = row.Object("selection");
    RECKON_TRY(row.Check());
    RECKON_ASSIGN(parsed.training, MetricsFromJson(training));
    RECKON_ASSIGN(parsed.selection, MetricsFromJson(selection));
    model.leaderboard.push_back(std::move(parsed));
  }
  // Earlier versions had neither; roles are then guessed from the names.
  if (json.contains("roles")) {
    RECKON_ASSIGN(model.roles, RolesFromJson(json["roles"], model.schema));
  } else {
    RECKON_ASSIGN(model.roles, FindRoles(model.schema, {}));
  }
  if (json.contains("unidentified")) {
    for (const Json& entry : fields.List("unidentified")) {
      RECKON_ASSIGN(Unidentified found, UnidentifiedFromJson(entry));
      model.unidentified.push_back(std::move(found));
    }
    RECKON_TRY(fields.Check());
  }
  if (model.leaderboard.empty()) return base::Corrupt("the leaderboard is empty");
  JsonFields origin(provenance, "provenance");
  model.data_fingerprint = origin.Text("data_fingerprint");
  model.rows = origin.Count("rows");
  model.seed = origin.Count("seed");
  model.extrapolate = origin.Text("extrapolate");
  RECKON_TRY(origin.Check());
  if (provenance.contains("origin")) {
    RECKON_ASSIGN(model.origin, OriginFromJson(provenance["origin"]));
  }
  return model;
}

}  // namespace

std::string ModelChecksum(const Json& document) {
  base::Fingerprint print;
  print.Add(base::DumpJsonLine(document));
  return print.Hex();
}

std::string ModelToText(const Model& model) {
  Json json;
  json["format"] = kFormat;
  json["version"] = kModelFileVersion;
  json["target"] = model.schema.target;
  json["columns"] = Json::array();
  for (const InputColumn& input : model.schema.inputs) {
    json["columns"].push_back(ColumnToJson(input));
  }
  json["candidate"] = CandidateToJson(model.fitted.candidate);
  json["predictor"] = model.fitted.predictor->ToJson(model.schema);
  json["target_range"] = RangeToJson(model.fitted.range);
  json["interval"] = model.interval.ToJson();
  json["leaderboard"] = Json::array();
  for (const LeaderboardRow& row : model.leaderboard) {
    Json entry;
    entry["technique"] = row.technique;
    entry["description"] = row.description;
    entry["training"] = MetricsToJson(row.training);
    entry["selection"] = MetricsToJson(row.selection);
    json["leaderboard"].push_back(std::move(entry));
  }
  json["roles"] = RolesToJson(model.roles, model.schema);
  json["unidentified"] = Json::array();
  for (const Unidentified& found : model.unidentified) {
    json["unidentified"].push_back(UnidentifiedToJson(found));
  }
  json["provenance"]["data_fingerprint"] = model.data_fingerprint;
  json["provenance"]["rows"] = model.rows;
  json["provenance"]["seed"] = model.seed;
  json["provenance"]["extrapolate"] = model.extrapolate;
  if (!model.origin.samples.empty()) json["provenance"]["origin"] = ToJson(model.origin);
  json["checksum"] = ModelChecksum(json);
  return base::DumpJson(json);
}

Result<Model> ModelFromText(std::string_view text, std::string_view source) {
  const auto wrap = [&](Error error) {
    return std::move(error).Wrap(fmt::format("cannot use model file '{}'", source));
  };
  if (text.empty()) return wrap(base::Corrupt("the file is empty"));
  auto parsed = base::ParseJson(text, source);
  if (!parsed.ok()) {
    return wrap(std::move(parsed).error().Wrap("damaged or cut short"));
  }
  Json json = *std::move(parsed);
  if (!json.is_object() || !json.contains("format") || json["format"] != kFormat) {
    return wrap(base::Corrupt(fmt::format("not a model file: no \"format\": \"{}\"", kFormat)));
  }
  if (!json.contains("version") || !json["version"].is_number_unsigned()) {
    return wrap(base::Corrupt("the version is missing"));
  }
  const auto version = json["version"].get<uint64_t>();
  if (version > kModelFileVersion || version == 0) {
    return wrap(base::Corrupt(
        fmt::format("it has format version {}; this Reckon reads version {}; {}", version,
                    kModelFileVersion, "use the Reckon that wrote it, or fit the model again")));
  }
  const Json checksum = json.contains("checksum") ? json["checksum"] : Json();
  json.erase("checksum");
  if (checksum != ModelChecksum(json)) {
    return wrap(
        base::Corrupt("the content does not match its checksum: damaged, or edited by hand"));
  }
  auto model = ModelFromJson(json);
  if (!model.ok()) return wrap(std::move(model).error());
  return model;
}

}  // namespace reckon::learn
