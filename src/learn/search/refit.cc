#include "learn/search/refit.h"

#include <cmath>

#include <fmt/format.h>

#include "learn/regressors/blend.h"
#include "learn/regressors/registry.h"
#include "learn/search/fit_part.h"

namespace reckon::learn {
namespace {

// A model that comes from a file may lack what only a fit needs.
base::Status CheckSettings(const Technique& technique, const Candidate& candidate,
                           const FitInput& input) {
  const auto groups = technique.Candidates(input.data, input.roles, input.question, {});
  if (groups.empty()) {
    return base::BadInput(fmt::format("technique '{}' does not apply to these rows; it needs {}",
                                      technique.name(), technique.requirement()));
  }
  const Candidate& example = groups.front().front();
  for (const auto& [name, value] : example.settings) {
    const auto own = candidate.settings.find(name);
    if (own == candidate.settings.end() || !std::isfinite(own->second) || own->second < 0) {
      return base::Error(base::ErrorCode::kCorrupt,
                         fmt::format("the model's setting '{}' is missing or out of range", name));
    }
  }
  for (const auto& [name, word] : example.words) {
    if (!candidate.words.contains(name)) {
      return base::Error(base::ErrorCode::kCorrupt,
                         fmt::format("the model's setting '{}' is missing", name));
    }
  }
  return {};
}

}  // namespace

base::Result<Fitted> Refit(const Fitted& model, const FitInput& input) {
  Fitted again{model.candidate, nullptr, RangeOf(input.data.y)};
  const auto* blend = dynamic_cast<const BlendPredictor*>(model.predictor.get());
  if (blend == nullptr) {
    RECKON_ASSIGN(const Technique* technique, FindTechnique(model.candidate.technique));
    RECKON_TRY(CheckSettings(*technique, model.candidate, input));
    RECKON_ASSIGN(auto predictors, FitPart(*technique, input, {model.candidate}));
    again.predictor = std::move(predictors.front());
    return again;
  }
  std::vector<BlendMember> members;
  for (const BlendMember& member : blend->members()) {
    const FitInput own{input.data,     input.roles,   input.rng.Fork(members.size()),
                       input.question, input.repeats, input.stop};
    RECKON_ASSIGN(Fitted fitted, Refit(member.fitted, own));
    members.push_back({member.weight, std::move(fitted)});
  }
  again.predictor = std::make_unique<BlendPredictor>(blend->scale(), std::move(members));
  return again;
}

}  // namespace reckon::learn
