#include "learn/regressors/ridge.h"

#include <array>

#include "learn/features/choose_terms.h"
#include "learn/regressors/feature_sets.h"
#include "learn/regressors/linear_predictor.h"
#include "numeric/ridge_path.h"

namespace reckon::learn {
namespace {

constexpr std::array<double, 7> kAlphas{1e-6, 1e-4, 1e-3, 1e-2, 0.1, 1, 10};

// The decomposition is cubic in the number of terms; beyond this, products are not tried.
constexpr size_t kMostTerms = 600;

}  // namespace

std::vector<CandidateGroup> RidgeTechnique::Candidates(const Dataset& data, const Roles&,
                                                       const Question& question,
                                                       const Restrictions& restrictions) const {
  std::vector<CandidateGroup> groups;
  for (const FeatureSet& set :
       Restricted(LinearFeatureSets(question), data, restrictions, kMostTerms)) {
    CandidateGroup group;
    for (const double alpha : kAlphas) {
      group.push_back({.technique = std::string(name()),
                       .scale = set.scale,
                       .features = set.features,
                       .settings = {{"alpha", alpha}}});
    }
    groups.push_back(std::move(group));
  }
  return groups;
}

base::Result<std::vector<std::unique_ptr<Predictor>>> RidgeTechnique::Fit(
    const FitInput& input, const CandidateGroup& group) const {
  const Candidate& first = group.front();
  const Vector target = ToScale(input.data.y, first.scale);
  RECKON_ASSIGN(const FeatureMap features,
                ChooseTerms(input.data, target, first.features, kMostTerms, input.rng));
  const numeric::RidgePath path(features.Apply(input.data.x), target);
  std::vector<std::unique_ptr<Predictor>> predictors;
  for (const Candidate& candidate : group) {
    numeric::RidgePath::Solution solution = path.Solve(candidate.settings.at("alpha"));
    predictors.push_back(std::make_unique<LinearPredictor>(features, std::move(solution.weights),
                                                           solution.intercept));
  }
  return predictors;
}

base::Result<std::unique_ptr<Predictor>> RidgeTechnique::Load(const base::Json& json,
                                                              const Schema& schema) const {
  return LinearPredictor::Load(json, schema);
}

}  // namespace reckon::learn
