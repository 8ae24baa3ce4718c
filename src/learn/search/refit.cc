#include "learn/search/refit.h"

#include "learn/regressors/blend.h"
#include "learn/regressors/registry.h"

namespace reckon::learn {

base::Result<Fitted> Refit(const Fitted& model, const FitInput& input) {
  Fitted again{model.candidate, nullptr, RangeOf(input.data.y)};
  const auto* blend = dynamic_cast<const BlendPredictor*>(model.predictor.get());
  if (blend == nullptr) {
    RECKON_ASSIGN(const Technique* technique, FindTechnique(model.candidate.technique));
    RECKON_ASSIGN(auto predictors, technique->Fit(input, {model.candidate}));
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
