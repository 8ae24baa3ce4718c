#include "learn/regressors/linear_technique.h"

#include <fmt/format.h>

#include "learn/features/choose_terms.h"
#include "learn/regressors/linear_predictor.h"

namespace reckon::learn {

LinearTechnique::LinearTechnique(size_t most_terms)
    : most_terms_(most_terms),
      requirement_(fmt::format("fewer than {} features; ask for fewer forms or a lower degree",
                               most_terms)) {}

std::vector<CandidateGroup> LinearTechnique::Candidates(const Dataset& data, const Roles&,
                                                        const Question& question,
                                                        const Restrictions& restrictions) const {
  std::vector<CandidateGroup> groups;
  for (const FeatureSet& set :
       Restricted(LinearFeatureSets(question), data, restrictions, most_terms_)) {
    if (!restrictions.scale && !Suits(set.scale)) continue;
    CandidateGroup group;
    for (Settings& settings : SettingsToTry()) {
      group.push_back({.technique = std::string(name()),
                       .scale = set.scale,
                       .features = set.features,
                       .settings = std::move(settings)});
    }
    groups.push_back(std::move(group));
  }
  return groups;
}

base::Result<std::vector<std::unique_ptr<Predictor>>> LinearTechnique::Fit(
    const FitInput& input, const CandidateGroup& group) const {
  const Candidate& first = group.front();
  const Vector target = ToScale(input.data.y, first.scale);
  RECKON_ASSIGN(const FeatureMap features, ChooseTerms(input.data, target, first.features,
                                                       most_terms_, input.rng, input.stop));
  RECKON_ASSIGN(const Solutions solutions, Solve(features.Apply(input.data.x), target, group));
  std::vector<std::unique_ptr<Predictor>> predictors;
  for (const numeric::RidgePath::Solution& solution : solutions) {
    predictors.push_back(
        LinearPredictor::WithoutZeros(features, solution.weights, solution.intercept));
  }
  return predictors;
}

base::Result<std::unique_ptr<Predictor>> LinearTechnique::Load(const base::Json& json,
                                                               const Schema& schema) const {
  return LinearPredictor::Load(json, schema);
}

}  // namespace reckon::learn
