#include "learn/regressors/gaussian_process.h"

#include "learn/features/choose_terms.h"
#include "learn/regressors/feature_sets.h"
#include "learn/regressors/kernel_predictor.h"
#include "learn/regressors/process_fit.h"
#include "learn/repeats.h"

namespace reckon::learn {
namespace {

base::Result<std::unique_ptr<Predictor>> FitOne(const FitInput& input, const Candidate& candidate) {
  const Vector whole = ToScale(input.data.y, candidate.scale);
  RECKON_ASSIGN(const FeatureMap features,
                ChooseTerms(input.data, whole, candidate.features, kMostProcessTerms,
                            input.rng.Fork(3), input.stop));
  const Configurations rows = CollapseRepeats(input.data.x, whole, Middle::kMean);
  return FitProcess(features, rows, static_cast<size_t>(candidate.settings.at("most_rows")),
                    input.rng);
}

}  // namespace

std::vector<CandidateGroup> GaussianProcessTechnique::Candidates(
    const Dataset& data, const Roles&, const Question&, const Restrictions& restrictions) const {
  std::vector<CandidateGroup> groups;
  for (const FeatureSet& set :
       Restricted(SmoothFeatureSets(data, restrictions), data, restrictions, kMostProcessTerms)) {
    groups.push_back({{.technique = std::string(name()),
                       .scale = set.scale,
                       .features = set.features,
                       .settings = {{"most_rows", static_cast<double>(kMostProcessRows)}}}});
  }
  return groups;
}

base::Result<std::vector<std::unique_ptr<Predictor>>> GaussianProcessTechnique::Fit(
    const FitInput& input, const CandidateGroup& group) const {
  std::vector<std::unique_ptr<Predictor>> predictors;
  for (const Candidate& candidate : group) {
    RECKON_ASSIGN(std::unique_ptr<Predictor> predictor, FitOne(input, candidate));
    predictors.push_back(std::move(predictor));
  }
  return predictors;
}

base::Result<std::unique_ptr<Predictor>> GaussianProcessTechnique::Load(
    const base::Json& json, const Schema& schema) const {
  return KernelPredictor::Load(json, schema);
}

}  // namespace reckon::learn
