#include "learn/regressors/stepwise.h"

#include "learn/features/choose_terms.h"
#include "learn/regressors/feature_sets.h"
#include "learn/regressors/linear_predictor.h"
#include "numeric/stepwise.h"

namespace reckon::learn {
namespace {

constexpr size_t kMostTerms = 600;

}  // namespace

std::vector<CandidateGroup> StepwiseTechnique::Candidates(const Dataset& data, const Roles&,
                                                          const Question& question,
                                                          const Restrictions& restrictions) const {
  const numeric::StepwiseOptions usual;
  std::vector<CandidateGroup> groups;
  for (const FeatureSet& set :
       Restricted(LinearFeatureSets(question), data, restrictions, kMostTerms)) {
    CandidateGroup group;
    for (const double intercept : {1.0, 0.0}) {
      group.push_back({.technique = std::string(name()),
                       .scale = set.scale,
                       .features = set.features,
                       .settings = {{"p_to_add", usual.p_to_add},
                                    {"p_to_remove", usual.p_to_remove},
                                    {"intercept", intercept}}});
    }
    groups.push_back(std::move(group));
  }
  return groups;
}

base::Result<std::vector<std::unique_ptr<Predictor>>> StepwiseTechnique::Fit(
    const FitInput& input, const CandidateGroup& group) const {
  const Vector target = ToScale(input.data.y, group.front().scale);
  RECKON_ASSIGN(const FeatureMap features,
                ChooseTerms(input.data, target, group.front().features, kMostTerms, input.rng));
  const Matrix terms = features.Apply(input.data.x);
  std::vector<std::unique_ptr<Predictor>> predictors;
  for (const Candidate& candidate : group) {
    numeric::StepwiseOptions options;
    options.p_to_add = candidate.settings.at("p_to_add");
    options.p_to_remove = candidate.settings.at("p_to_remove");
    options.intercept = candidate.settings.at("intercept") == 1;
    const numeric::RidgePath::Solution solution = numeric::SolveStepwise(terms, target, options);
    predictors.push_back(
        LinearPredictor::WithoutZeros(features, solution.weights, solution.intercept));
  }
  return predictors;
}

base::Result<std::unique_ptr<Predictor>> StepwiseTechnique::Load(const base::Json& json,
                                                                 const Schema& schema) const {
  return LinearPredictor::Load(json, schema);
}

}  // namespace reckon::learn
