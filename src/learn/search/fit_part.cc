#include "learn/search/fit_part.h"

#include <algorithm>

#include "learn/regressors/linear_predictor.h"

namespace reckon::learn {

base::Result<std::vector<std::unique_ptr<Predictor>>> FitPart(const Technique& technique,
                                                              const FitInput& input,
                                                              const CandidateGroup& group) {
  const std::vector<InputColumn>& inputs = input.data.schema.inputs;
  if (std::any_of(inputs.begin(), inputs.end(), [](const auto& one) { return one.Varies(); })) {
    return technique.Fit(input, group);
  }
  std::vector<std::unique_ptr<Predictor>> means;
  for (const Candidate& candidate : group) {
    const double mean = ToScale(input.data.y, candidate.scale).mean();
    means.push_back(LinearPredictor::WithoutZeros(FeatureMap(std::vector<Term>()), Vector(), mean));
  }
  return means;
}

}  // namespace reckon::learn
