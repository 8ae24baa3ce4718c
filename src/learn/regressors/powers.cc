#include "learn/regressors/powers.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "learn/laws/powers_predictor.h"
#include "learn/regressors/fit_correction.h"
#include "learn/repeats.h"
#include "numeric/ridge_path.h"

namespace reckon::learn {
namespace {

using Eigen::Index;
using InputForm = LawInput::Form;

constexpr std::array<double, 3> kTrees{0, 150, 500};  // inside the range
constexpr size_t kMostInputs = 200;
// A process takes longer than the law beside it; beside three terms it gains half as much again.
constexpr double kTermsWithProcess = 2;

// Penalties are against about one unit of squared log error a configuration.
constexpr double kLevelPenalty = 0.1;
constexpr double kLevelPenaltyBeyond = 0.005;
constexpr double kConstantPenalty = 1e-4;

// What counts workers for the law. Where that column is left out since others give it (workers
// where cpus are asked for), the extrapolated one stands for it if it counts such things too.
std::optional<size_t> WorkersOf(const LawInputs& inputs, const Roles& roles,
                                const Question& question) {
  const bool there = std::any_of(inputs.scaling.begin(), inputs.scaling.end(),
                                 [&](const LawInput& one) { return roles.workers == one.column; });
  if (there || !roles.workers || !question.extrapolate) return roles.workers;
  const bool counts = std::find(roles.extrinsic.begin(), roles.extrinsic.end(),
                                *question.extrapolate) != roles.extrinsic.end();
  return counts && question.extrapolate != roles.batch ? question.extrapolate : roles.workers;
}

// What usually happens along a column, term after term: work that is divided among workers, a
// fixed part, a part that grows.
double PriorPower(const LawInput& input, size_t term, const std::optional<size_t>& workers,
                  const Roles& roles) {
  if (workers == input.column) return std::array{-1.0, 0.0, 0.5}[term % 3];
  if (roles.size == input.column) return std::array{1.0, 0.0, 0.5}[term % 3];
  return 0;
}

struct LawSetup {
  LawInputs inputs;
  bool apart = false;
  Configurations rows;
  numeric::PowerSumProblem problem;
};

LawSetup SetUp(const FitInput& input, const Candidate& candidate) {
  const auto& settings = candidate.settings;
  LawSetup setup;
  setup.inputs = ChooseLawInputs(input.data, input.question);
  setup.apart = settings.at("apart") == 1;
  setup.rows =
      CollapseRepeats(input.data.x, ToScale(input.data.y, TargetScale::kLog), Middle::kMedian);
  numeric::PowerSumProblem& problem = setup.problem;
  PowerSumInputs(setup.inputs, setup.apart, setup.rows.x, problem.terms, problem.shared);
  problem.target = setup.rows.target;
  problem.weight = setup.rows.count.cwiseSqrt();
  const double recency = settings.at("recency");
  if (recency > 0 && input.question.extrapolate) {
    problem.weight.array() *=
        RecencyWeights(setup.rows.x, *input.question.extrapolate, recency).array();
  }
  problem.weight /= problem.weight.mean();
  problem.count = static_cast<int>(settings.at("terms"));
  problem.sharpness = settings.at("sharpness");
  const double level_penalty = input.question.extrapolate ? kLevelPenaltyBeyond : kLevelPenalty;
  problem.shared_penalty = level_penalty;
  const Index d = problem.terms.cols();
  problem.prior = Matrix::Zero(problem.count, d);
  problem.penalty = Matrix::Constant(problem.count, d, level_penalty);
  problem.lower = Matrix::Constant(problem.count, d, -50);
  problem.upper = Matrix::Constant(problem.count, d, 50);
  problem.penalty.col(0).setConstant(kConstantPenalty);
  const auto workers = WorkersOf(setup.inputs, input.roles, input.question);
  for (size_t j = 0; j < setup.inputs.scaling.size(); ++j) {
    const LawInput& scaling = setup.inputs.scaling[j];
    const auto at = static_cast<Index>(j) + 1;
    problem.penalty.col(at).setConstant(settings.at("penalty"));
    if (scaling.form != InputForm::kLog) continue;
    const bool extrapolated = input.question.extrapolate == scaling.column;
    problem.lower.col(at).setConstant(extrapolated ? -6 : -4);
    problem.upper.col(at).setConstant(extrapolated ? 1.3 : 4);
    for (Index k = 0; k < problem.count; ++k) {
      problem.prior(k, at) = PriorPower(scaling, static_cast<size_t>(k), workers, input.roles);
    }
  }
  return setup;
}

// From the prior, and from the power law that fits best alone.
std::vector<Matrix> Starts(const numeric::PowerSumProblem& problem) {
  const auto with_constants = [&](Matrix start, const Vector& offsets) {
    for (Index k = 0; k < problem.count; ++k) {
      const Vector rest = problem.target - problem.terms * start.row(k).transpose();
      start(k, 0) += rest.dot(problem.weight) / problem.weight.sum() + offsets(k);
    }
    return Matrix(start.cwiseMax(problem.lower).cwiseMin(problem.upper));
  };
  const double equal = -std::log(static_cast<double>(problem.count)) / problem.sharpness;
  std::vector<Matrix> starts;
  starts.push_back(with_constants(problem.prior, Vector::Constant(problem.count, equal)));
  if (problem.terms.cols() == 1) return starts;
  const numeric::RidgePath path(problem.terms.rightCols(problem.terms.cols() - 1), problem.target);
  const auto alone = path.Solve(1e-3);
  Matrix single = problem.prior;
  single.row(0).tail(problem.terms.cols() - 1) = alone.weights;
  Vector offsets = Vector::Constant(problem.count, -1.5);
  offsets(0) = -0.2;
  starts.push_back(with_constants(single, offsets));
  return starts;
}

numeric::PowerSum FitLaw(const numeric::PowerSumProblem& problem) {
  numeric::PowerSum best;
  best.cost = std::numeric_limits<double>::infinity();
  for (const Matrix& start : Starts(problem)) {
    numeric::PowerSum fit = numeric::FitPowerSum(problem, start);
    if (fit.cost < best.cost) best = std::move(fit);
  }
  return best;
}

}  // namespace

std::vector<CandidateGroup> PowersTechnique::Candidates(const Dataset& data, const Roles&,
                                                        const Question& question,
                                                        const Restrictions& restrictions) const {
  std::vector<CandidateGroup> groups;
  if (data.y.minCoeff() <= 0 || restrictions.scale == TargetScale::kLinear) return groups;
  const LawInputs inputs = ChooseLawInputs(data, question);
  if (inputs.scaling.size() + inputs.levels.size() > kMostInputs) return groups;
  const auto add = [&](double apart, double terms, double sharpness, double penalty,
                       double recency) {
    const Candidate law{.technique = std::string(name()),
                        .scale = TargetScale::kLog,
                        .features = {.raw = false, .log = true},
                        .settings = {{"terms", terms},
                                     {"sharpness", sharpness},
                                     {"apart", apart},
                                     {"penalty", penalty},
                                     {"recency", recency}}};
    groups.push_back(WithCorrections(law, {kTrees.begin(), kTrees.end()}, data, question,
                                     terms <= kTermsWithProcess));
  };
  for (const double apart : {0.0, 1.0}) {
    if (apart == 1 && (inputs.levels.empty() || inputs.levels.size() * 6 > data.rows())) continue;
    for (const double terms : {2.0, 3.0}) {
      for (const double sharpness : {1.0, 4.0}) {
        if (!question.extrapolate) {
          add(apart, terms, sharpness, 0.05, 0);
          continue;
        }
        // Beyond the range no one way is best; a blend of several is steadier.
        for (const double penalty : {0.05, 0.005}) {
          for (const double recency : {0.0, 2.0}) {
            add(apart, terms, sharpness, penalty, recency);
          }
        }
      }
    }
  }
  return groups;
}

base::Result<std::vector<std::unique_ptr<Predictor>>> PowersTechnique::Fit(
    const FitInput& input, const CandidateGroup& group) const {
  const LawSetup setup = SetUp(input, group.front());
  PowersPredictor::Parts parts;
  parts.inputs = setup.inputs;
  parts.levels_apart = setup.apart;
  parts.law = FitLaw(setup.problem);
  if (input.question.extrapolate) {
    const InputColumn& column = input.data.schema.inputs[*input.question.extrapolate];
    if (column.min > 0) parts.limit = GrowthLimit{*input.question.extrapolate, column.max};
  }
  CorrectionFit corrections(
      input, [law = PowersPredictor(parts)](const Matrix& x) { return law.PredictLaw(x); });
  RECKON_TRY(corrections.Prepare(group));
  std::vector<std::unique_ptr<Predictor>> predictors;
  for (const Candidate& candidate : group) {
    PowersPredictor::Parts own = parts;
    RECKON_ASSIGN(own.correction, corrections.For(candidate));
    predictors.push_back(std::make_unique<PowersPredictor>(std::move(own)));
  }
  return predictors;
}

base::Result<std::unique_ptr<Predictor>> PowersTechnique::Load(const base::Json& json,
                                                               const Schema& schema) const {
  return PowersPredictor::Load(json, schema);
}

}  // namespace reckon::learn
