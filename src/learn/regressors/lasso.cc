#include "learn/regressors/lasso.h"

#include <array>
#include <cmath>

#include "learn/features/choose_terms.h"
#include "learn/regressors/feature_sets.h"
#include "learn/regressors/linear_predictor.h"
#include "numeric/lasso_path.h"

namespace reckon::learn {
namespace {

constexpr std::array<double, 7> kAlphas{1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 0.1};
constexpr size_t kMostTerms = 600;

}  // namespace

std::vector<CandidateGroup> LassoTechnique::Candidates(const Dataset& data, const Roles&,
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

base::Result<std::vector<std::unique_ptr<Predictor>>> LassoTechnique::Fit(
    const FitInput& input, const CandidateGroup& group) const {
  const Vector target = ToScale(input.data.y, group.front().scale);
  RECKON_ASSIGN(const FeatureMap features,
                ChooseTerms(input.data, target, group.front().features, kMostTerms, input.rng));
  std::vector<double> alphas;
  for (const Candidate& candidate : group) {
    double alpha = candidate.settings.at("alpha");
    if (candidate.settings.contains("in_target_unit")) {
      alpha /= std::sqrt((target.array() - target.mean()).square().mean());
    }
    alphas.push_back(alpha);
    if (!(alphas.back() > 0)) {
      return base::Error(base::ErrorCode::kFailed, "the lasso needs a penalty above 0");
    }
  }
  const numeric::LassoPath path(features.Apply(input.data.x), target);
  std::vector<std::unique_ptr<Predictor>> predictors;
  for (const numeric::RidgePath::Solution& solution : path.Solve(alphas)) {
    predictors.push_back(
        LinearPredictor::WithoutZeros(features, solution.weights, solution.intercept));
  }
  return predictors;
}

base::Result<std::unique_ptr<Predictor>> LassoTechnique::Load(const base::Json& json,
                                                              const Schema& schema) const {
  return LinearPredictor::Load(json, schema);
}

}  // namespace reckon::learn
