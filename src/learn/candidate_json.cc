#include "learn/candidate_json.h"

#include "learn/features/feature_options_json.h"
#include "learn/json_fields.h"

namespace reckon::learn {

base::Result<Candidate> CandidateFromJson(const base::Json& json) {
  JsonFields fields(json, "candidate");
  Candidate candidate;
  candidate.technique = fields.Text("technique");
  const std::string scale = fields.Text("scale");
  const base::Json& features = fields.Object("features");
  const base::Json& settings = fields.Object("settings");
  RECKON_TRY(fields.Check());
  RECKON_ASSIGN(candidate.scale, ParseTargetScale(scale));
  RECKON_ASSIGN(candidate.features, FeatureOptionsFromJson(features));
  // Files of earlier versions have none.
  const base::Json words = json.value("words", base::Json::object());
  if (!words.is_object()) {
    return base::Error(base::ErrorCode::kCorrupt, "candidate.words is not an object");
  }
  for (const auto& [name, word] : words.items()) {
    if (!word.is_string()) {
      return base::Error(base::ErrorCode::kCorrupt, fmt::format("word '{}' is not text", name));
    }
    candidate.words[name] = word.get<std::string>();
  }
  for (const auto& [name, value] : settings.items()) {
    if (!value.is_number())
      return base::Error(base::ErrorCode::kCorrupt,
                         fmt::format("setting '{}' is not a number", name));
    candidate.settings[name] = value.get<double>();
  }
  return candidate;
}

base::Json CandidateToJson(const Candidate& candidate) {
  base::Json json;
  json["technique"] = candidate.technique;
  json["scale"] = TargetScaleName(candidate.scale);
  json["features"] = FeatureOptionsToJson(candidate.features);
  json["settings"] = base::Json::object();
  for (const auto& [name, value] : candidate.settings) json["settings"][name] = value;
  if (!candidate.words.empty()) json["words"] = candidate.words;
  return json;
}

base::Json RangeToJson(const TargetRange& range) {
  base::Json json;
  json["min"] = range.min;
  json["max"] = range.max;
  return json;
}

base::Result<TargetRange> RangeFromJson(const base::Json& json) {
  JsonFields fields(json, "target_range");
  const TargetRange range{fields.Number("min"), fields.Number("max")};
  if (range.min > range.max) fields.Fail("target_range: min above max");
  RECKON_TRY(fields.Check());
  return range;
}

}  // namespace reckon::learn
