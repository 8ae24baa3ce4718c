#include "learn/regressors/nnls.h"

#include "learn/features/choose_terms.h"
#include "learn/regressors/feature_sets.h"
#include "learn/regressors/linear_predictor.h"
#include "numeric/nnls.h"

namespace reckon::learn {
namespace {

constexpr size_t kMostTerms = 300;

}  // namespace

std::vector<CandidateGroup> NnlsTechnique::Candidates(const Dataset& data, const Roles&,
                                                      const Question& question,
                                                      const Restrictions& restrictions) const {
  // Weights of one sign make sense where parts of a time add up: on the linear scale.
  const TargetScale scale = restrictions.scale.value_or(TargetScale::kLinear);
  std::vector<CandidateGroup> groups;
  for (const FeatureSet& set :
       Restricted(LinearFeatureSets(question), data, restrictions, kMostTerms)) {
    if (set.scale != scale) continue;
    CandidateGroup group;
    for (const double intercept : {1.0, 0.0}) {
      group.push_back({.technique = std::string(name()),
                       .scale = set.scale,
                       .features = set.features,
                       .settings = {{"intercept", intercept}}});
    }
    groups.push_back(std::move(group));
  }
  return groups;
}

base::Result<std::vector<std::unique_ptr<Predictor>>> NnlsTechnique::Fit(
    const FitInput& input, const CandidateGroup& group) const {
  const Vector target = ToScale(input.data.y, group.front().scale);
  RECKON_ASSIGN(const FeatureMap features,
                ChooseTerms(input.data, target, group.front().features, kMostTerms, input.rng));
  const Matrix terms = features.Apply(input.data.x);
  std::vector<std::unique_ptr<Predictor>> predictors;
  for (const Candidate& candidate : group) {
    // An intercept of any sign: what is left after taking means away from both sides.
    const double centred = candidate.settings.at("intercept") == 1 ? 1 : 0;
    const Vector means = centred * terms.colwise().mean().transpose();
    const double middle = centred * target.mean();
    RECKON_ASSIGN(const Vector weights, numeric::SolveNnls(terms.rowwise() - means.transpose(),
                                                           (target.array() - middle).matrix()));
    predictors.push_back(
        LinearPredictor::WithoutZeros(features, weights, middle - weights.dot(means)));
  }
  return predictors;
}

base::Result<std::unique_ptr<Predictor>> NnlsTechnique::Load(const base::Json& json,
                                                             const Schema& schema) const {
  return LinearPredictor::Load(json, schema);
}

}  // namespace reckon::learn
