#include "learn/regressors/blend.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "learn/candidate_json.h"
#include "learn/regressors/registry.h"

namespace reckon::learn {
namespace {

base::Error Corrupt(std::string_view what) {
  return {base::ErrorCode::kCorrupt, fmt::format("the blend {}", what)};
}

}  // namespace

BlendPredictor::BlendPredictor(TargetScale scale, std::vector<BlendMember> members)
    : scale_(scale), members_(std::move(members)) {
  std::vector<Term> terms;
  for (const BlendMember& member : members_) {
    for (const Term& term : member.fitted.predictor->features().terms()) {
      if (std::find(terms.begin(), terms.end(), term) == terms.end()) terms.push_back(term);
    }
  }
  features_ = FeatureMap(std::move(terms));
}

Vector BlendPredictor::Predict(const Matrix& x) const {
  Vector mean = Vector::Zero(x.rows());
  for (const BlendMember& member : members_) {
    mean += member.weight * ToScale(member.fitted.Predict(x), scale_);
  }
  return mean;
}

Vector BlendPredictor::PredictWithSpread(const Matrix& x, Vector& spread) const {
  // Summed as in Predict, so that both give the same bits.
  Vector mean = Vector::Zero(x.rows());
  std::vector<Vector> predicted;
  for (const BlendMember& member : members_) {
    predicted.push_back(ToScale(member.fitted.Predict(x), scale_));
    mean += member.weight * predicted.back();
  }
  Vector squares = Vector::Zero(x.rows());
  for (size_t m = 0; m < members_.size(); ++m) {
    squares.array() += members_[m].weight * (predicted[m] - mean).array().square();
  }
  spread = squares.cwiseSqrt();
  return mean;
}

Formula BlendPredictor::ToFormula() const { return BlendFormula{}; }

base::Json BlendPredictor::ToJson(const Schema& schema) const {
  base::Json json;
  json["scale"] = TargetScaleName(scale_);
  json["members"] = base::Json::array();
  for (const BlendMember& member : members_) {
    base::Json entry;
    entry["weight"] = member.weight;
    entry["candidate"] = CandidateToJson(member.fitted.candidate);
    entry["predictor"] = member.fitted.predictor->ToJson(schema);
    entry["target_range"] = RangeToJson(member.fitted.range);
    json["members"].push_back(std::move(entry));
  }
  return json;
}

base::Result<std::unique_ptr<Predictor>> BlendPredictor::Load(const base::Json& json,
                                                              const Schema& schema) {
  if (!json.is_object() || !json.contains("scale") || !json["scale"].is_string() ||
      !json.contains("members") || !json["members"].is_array() || json["members"].empty()) {
    return Corrupt("needs 'scale' and 'members'");
  }
  const auto scale = ParseTargetScale(json["scale"].get<std::string>());
  if (!scale.ok()) return Corrupt("has an unknown scale");
  std::vector<BlendMember> members;
  for (const base::Json& entry : json["members"]) {
    for (const char* key : {"weight", "candidate", "predictor", "target_range"}) {
      if (!entry.is_object() || !entry.contains(key)) {
        return Corrupt(fmt::format("has a member without '{}'", key));
      }
    }
    if (!entry["weight"].is_number() || !(entry["weight"].get<double>() > 0)) {
      return Corrupt("has a member without a positive weight");
    }
    BlendMember member;
    member.weight = entry["weight"].get<double>();
    RECKON_ASSIGN(member.fitted.candidate, CandidateFromJson(entry["candidate"]));
    // A blend in a blend would let a file nest without end.
    const auto technique = FindTechnique(member.fitted.candidate.technique);
    if (!technique.ok() || (*technique)->name() == BlendTechnique().name()) {
      return Corrupt("has a member of an unknown technique");
    }
    RECKON_ASSIGN(member.fitted.predictor, (*technique)->Load(entry["predictor"], schema));
    RECKON_ASSIGN(member.fitted.range, RangeFromJson(entry["target_range"]));
    if (*scale == TargetScale::kLog && !(member.fitted.range.min > 0)) {
      return Corrupt("of logs has a member whose target is not above 0");
    }
    members.push_back(std::move(member));
  }
  return std::unique_ptr<Predictor>(std::make_unique<BlendPredictor>(*scale, std::move(members)));
}

base::Result<std::vector<std::unique_ptr<Predictor>>> BlendTechnique::Fit(
    const FitInput&, const CandidateGroup&) const {
  return base::Error(base::ErrorCode::kFailed, "a blend is made by the search, not fitted");
}

base::Result<std::unique_ptr<Predictor>> BlendTechnique::Load(const base::Json& json,
                                                              const Schema& schema) const {
  return BlendPredictor::Load(json, schema);
}

}  // namespace reckon::learn
