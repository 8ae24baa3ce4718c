#include "learn/regressors/scaling_law_technique.h"

#include <algorithm>

#include "learn/laws/fit_scaling_law.h"
#include "learn/regressors/fit_correction.h"
#include "learn/regressors/scaling_law_predictor.h"
#include "learn/thin_rows.h"
#include "numeric/stats.h"

namespace reckon::learn {
namespace {

using Eigen::Index;

constexpr size_t kMostInputs = 100;
// Few parameters need few rows; more of them are thinned.
constexpr size_t kMostRows = 1500;
constexpr size_t kCountsToTellApart = 3;  // of workers, for a machine's own factor of the exchange

// Which types of machines were measured with enough counts of workers. Empty: none.
std::vector<bool> OwnExchange(const Dataset& data, const Roles& roles) {
  if (!roles.machine || !roles.workers) return {};
  const auto machine = data.x.col(static_cast<Index>(*roles.machine));
  const auto workers = data.x.col(static_cast<Index>(*roles.workers));
  std::vector<std::vector<double>> counts(data.schema.inputs[*roles.machine].levels.size());
  for (Index i = 0; i < data.x.rows(); ++i) {
    counts[static_cast<size_t>(machine(i))].push_back(workers(i));
  }
  std::vector<bool> own;
  for (const std::vector<double>& cells : counts) {
    own.push_back(!cells.empty() && numeric::Distinct(cells).size() >= kCountsToTellApart);
  }
  // One type alone is not told apart from any other.
  return std::count(own.begin(), own.end(), true) > 1 ? own : std::vector<bool>();
}

bool HasAll(const LawDescription& law, const Roles& roles) {
  return std::all_of(law.needs.begin(), law.needs.end(),
                     [&](auto need) { return (roles.*need).has_value(); });
}

// A column that the law needs may be constant in a part of the data.
Roles RolesOfPart(const LawDescription& law, const Schema& schema, const Roles& roles) {
  Roles usable = UsableRoles(law, schema, roles);
  for (const auto need : law.needs) usable.*need = roles.*need;
  return usable;
}

Configurations Thinned(Configurations all, base::Rng rng) {
  const auto count = static_cast<size_t>(all.x.rows());
  if (count <= kMostRows) return all;
  const std::vector<size_t> kept = ThinRows(count, kMostRows, rng);
  Configurations some;
  some.x = all.x(kept, Eigen::all);
  some.target = all.target(kept);
  some.count = all.count(kept);
  return some;
}

std::vector<LawInput> LeftOver(const Dataset& data, const Question& question,
                               const std::vector<LawTerm>& terms) {
  std::vector<size_t> used;
  for (const LawTerm& term : terms) {
    for (const LawFactor& factor : term.factors) used.push_back(factor.column);
  }
  const LawInputs chosen = ChooseLawInputs(data, question, used);
  std::vector<LawInput> left;
  for (const auto* inputs : {&chosen.scaling, &chosen.levels}) {
    for (const LawInput& input : *inputs) {
      if (std::find(used.begin(), used.end(), input.column) == used.end()) left.push_back(input);
    }
  }
  return left;
}

}  // namespace

std::vector<CandidateGroup> ScalingLawTechnique::Candidates(
    const Dataset& data, const Roles& roles, const Question& question,
    const Restrictions& restrictions) const {
  if (data.y.minCoeff() <= 0 || restrictions.scale == TargetScale::kLinear) return {};
  const Roles usable = UsableRoles(law_, data.schema, roles);
  if (!HasAll(law_, usable)) return {};
  const LawInputs inputs = ChooseLawInputs(data, question);
  if (inputs.scaling.size() + inputs.levels.size() > kMostInputs) return {};
  std::vector<CandidateGroup> groups;
  const bool tell_apart = !OwnExchange(data, usable).empty();
  for (const LawSettings& settings : law_.variants({data, usable, question})) {
    for (const double apart : {0.0, 1.0}) {
      if (apart == 1 && !tell_apart) continue;
      Candidate candidate{.technique = std::string(name()),
                          .scale = TargetScale::kLog,
                          .features = {.raw = false},
                          .settings = settings};
      if (usable.machine) candidate.settings["apart"] = apart;
      if (law_.corrected) {
        groups.push_back(WithCorrections(candidate, {0, 150}, data, question));
      } else {
        if (groups.empty()) groups.emplace_back();
        groups.front().push_back(std::move(candidate));
      }
    }
  }
  return groups;
}

base::Result<std::vector<std::unique_ptr<Predictor>>> ScalingLawTechnique::Fit(
    const FitInput& input, const CandidateGroup& group) const {
  const Roles roles = RolesOfPart(law_, input.data.schema, input.roles);
  const Configurations rows = Thinned(
      CollapseRepeats(input.data.x, ToScale(input.data.y, TargetScale::kLog), Middle::kMedian),
      input.rng);
  const auto fit_law = [&](const Candidate& candidate) {
    ScalingLawProblem problem;
    problem.name = law_.name;
    problem.overlaps = law_.overlaps || SettingOf(candidate.settings, "overlaps") == 1;
    const double recency = SettingOf(candidate.settings, "recency");
    if (recency > 0 && input.question.extrapolate) {
      problem.row_weight = RecencyWeights(rows.x, *input.question.extrapolate, recency);
    }
    problem.terms = law_.terms({input.data, roles, input.question}, candidate.settings);
    problem.inputs = LeftOver(input.data, input.question, problem.terms);
    if (SettingOf(candidate.settings, "apart") == 1) {
      problem.own_exchange = OwnExchange(input.data, roles);
      if (!problem.own_exchange.empty()) problem.machine = roles.machine;
    }
    return FitScalingLaw(problem, rows);
  };
  std::vector<std::unique_ptr<Predictor>> predictors;
  if (law_.corrected) {
    const ScalingLaw law = fit_law(group.front());
    CorrectionFit corrections(input, [&law](const Matrix& x) { return law.LogTime(x); });
    RECKON_TRY(corrections.Prepare(group));
    for (const Candidate& candidate : group) {
      RECKON_ASSIGN(LawCorrection correction, corrections.For(candidate));
      predictors.push_back(std::make_unique<ScalingLawPredictor>(law, std::move(correction)));
    }
    return predictors;
  }
  for (const Candidate& candidate : group) {
    predictors.push_back(std::make_unique<ScalingLawPredictor>(fit_law(candidate)));
    if (input.stop.stop_requested()) {
      return base::Error(base::ErrorCode::kInterrupted, "interrupted");
    }
  }
  return predictors;
}

base::Result<std::unique_ptr<Predictor>> ScalingLawTechnique::Load(const base::Json& json,
                                                                   const Schema& schema) const {
  RECKON_ASSIGN(ScalingLaw law, ScalingLawFromJson(json, schema, law_.name));
  RECKON_ASSIGN(LawCorrection correction, CorrectionFromJson(json, schema));
  return std::unique_ptr<Predictor>(
      std::make_unique<ScalingLawPredictor>(std::move(law), std::move(correction)));
}

std::vector<ScalingLawTechnique> ScalingLawTechniques() {
  std::vector<ScalingLawTechnique> techniques;
  for (const LawDescription& law : LawLibrary()) techniques.emplace_back(law);
  return techniques;
}

}  // namespace reckon::learn
