#include "learn/model.h"

#include "base/check.h"

namespace reckon::learn {

Model MakeModel(const Dataset& data, const SearchOptions& options, SearchOutcome outcome) {
  RECKON_CHECK(!outcome.contenders.empty());
  Model model;
  for (const Contender& contender : outcome.contenders) {
    const Candidate& candidate = contender.fitted.candidate;
    model.leaderboard.push_back(
        {candidate.technique, candidate.Describe(), contender.training, contender.selection});
  }
  Contender& best = outcome.contenders.front();
  model.interval = CalibrateInterval(best.residuals, data.y, best.fitted.Predict(data.x));
  model.fitted = std::move(best.fitted);
  model.schema = data.schema;
  model.rows = data.rows();
  model.seed = options.seed;
  if (options.question.extrapolate) {
    model.extrapolate = data.schema.inputs[*options.question.extrapolate].name;
  }
  return model;
}

}  // namespace reckon::learn
