#include "learn/features/feature_options_json.h"

#include <algorithm>

#include "learn/json_fields.h"

namespace reckon::learn {
namespace {

constexpr uint64_t kMostTermsInFiles = 1'000'000;

std::vector<std::string> NamesFrom(JsonFields& fields, const char* key) {
  std::vector<std::string> names;
  for (const base::Json& name : fields.List(key)) {
    if (!name.is_string()) {
      fields.Fail(fmt::format("candidate.features.{} holds what is not a name", key));
      return {};
    }
    names.push_back(name.get<std::string>());
  }
  return names;
}

base::Result<TermSelection> SelectionFrom(const base::Json& json) {
  JsonFields fields(json, "candidate.features.select");
  const std::string way = fields.Text("way");
  TermSelection selection;
  selection.most_terms = static_cast<int>(std::min(fields.Count("most_terms"), kMostTermsInFiles));
  selection.gain_share = fields.Number("gain_share");
  RECKON_TRY(fields.Check());
  for (const auto known : {TermSelection::Way::kForward, TermSelection::Way::kImportance}) {
    if (way != SelectionWayName(known)) continue;
    selection.way = known;
    return selection;
  }
  return base::Error(base::ErrorCode::kCorrupt, fmt::format("'{}' selects no features", way));
}

}  // namespace

base::Json FeatureOptionsToJson(const FeatureOptions& options) {
  base::Json json;
  json["raw"] = options.raw;
  json["inverse"] = options.inverse;
  json["log"] = options.log;
  json["degree"] = static_cast<uint64_t>(options.degree);
  if (!options.inverse_of.empty()) json["inverse_of"] = options.inverse_of;
  if (!options.log_of.empty()) json["log_of"] = options.log_of;
  if (options.interactions_only) json["interactions_only"] = true;
  if (options.select.way != TermSelection::Way::kNone) {
    json["select"]["way"] = SelectionWayName(options.select.way);
    json["select"]["most_terms"] = static_cast<uint64_t>(options.select.most_terms);
    json["select"]["gain_share"] = options.select.gain_share;
  }
  return json;
}

base::Result<FeatureOptions> FeatureOptionsFromJson(const base::Json& json) {
  JsonFields fields(json, "candidate.features");
  FeatureOptions options;
  options.raw = fields.Flag("raw");
  options.inverse = fields.Flag("inverse");
  options.log = fields.Flag("log");
  options.degree = static_cast<int>(std::min<uint64_t>(fields.Count("degree"), 100));
  RECKON_TRY(fields.Check());
  if (json.contains("inverse_of")) options.inverse_of = NamesFrom(fields, "inverse_of");
  if (json.contains("log_of")) options.log_of = NamesFrom(fields, "log_of");
  if (json.contains("interactions_only")) {
    options.interactions_only = fields.Flag("interactions_only");
  }
  RECKON_TRY(fields.Check());
  if (json.contains("select")) {
    RECKON_ASSIGN(options.select, SelectionFrom(json["select"]));
  }
  return options;
}

}  // namespace reckon::learn
