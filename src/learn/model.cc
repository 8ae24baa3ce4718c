#include "learn/model.h"

#include "base/check.h"
#include "learn/search/question_roles.h"

namespace reckon::learn {

Bounds Model::PredictBounds(const Matrix& x) const {
  Bounds bounds{.predicted = {}, .lower = Vector(x.rows()), .upper = Vector(x.rows())};
  Vector spread;
  bounds.predicted = fitted.PredictWithSpread(x, spread);
  for (Eigen::Index i = 0; i < x.rows(); ++i) {
    interval.Bounds(bounds.predicted(i), {InputDistance(x.row(i), schema), spread(i)},
                    bounds.lower(i), bounds.upper(i));
  }
  return bounds;
}

Model MakeModel(const Dataset& data, const SearchOptions& options, SearchOutcome outcome) {
  RECKON_CHECK(!outcome.contenders.empty());
  Model model;
  for (const Contender& contender : outcome.contenders) {
    const Candidate& candidate = contender.fitted.candidate;
    model.leaderboard.push_back(
        {candidate.technique, candidate.Describe(), contender.training, contender.selection});
  }
  Contender& best = outcome.contenders.front();
  model.interval = CalibrateInterval(best.residuals, data.y, outcome.practised_beyond);
  model.fitted = std::move(best.fitted);
  model.schema = data.schema;
  model.rows = data.rows();
  model.seed = options.seed;
  if (options.question.extrapolate) {
    model.extrapolate = data.schema.inputs[*options.question.extrapolate].name;
  }
  // The search has succeeded with these names.
  model.roles = RolesForQuestion(data.schema, options.roles, options.question).value();
  model.unidentified = FindUnidentified(data, model.roles, options.question);
  return model;
}

}  // namespace reckon::learn
