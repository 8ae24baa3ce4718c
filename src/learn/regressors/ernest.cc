#include "learn/regressors/ernest.h"

#include "learn/regressors/linear_predictor.h"
#include "numeric/nnls.h"

namespace reckon::learn {
namespace {

using Form = Factor::Form;

// More levels than this would take more terms than such tables have rows.
constexpr size_t kMostLevels = 60;

size_t LevelCount(const Schema& schema) {
  size_t count = 0;
  for (const InputColumn& input : schema.inputs) count += input.levels.size();
  return count;
}

FeatureMap ErnestTerms(const Schema& schema, const Roles& roles, bool levels) {
  Term divided;
  if (roles.size) divided.factors.push_back({Form::kRaw, *roles.size, 0});
  divided.factors.push_back({Form::kInverse, *roles.workers, 0});
  const std::vector<Term> law{Term{}, divided, Term{{{Form::kRaw, *roles.workers, 0}}},
                              Term{{{Form::kLog, *roles.workers, 0}}}};
  std::vector<Term> terms = law;
  if (levels) {
    for (size_t j = 0; j < schema.inputs.size(); ++j) {
      for (size_t level = 0; level < schema.inputs[j].levels.size(); ++level) {
        for (Term term : law) {
          term.factors.push_back({Form::kLevel, j, level});
          terms.push_back(std::move(term));
        }
      }
    }
  }
  return FeatureMap(std::move(terms));
}

}  // namespace

std::vector<CandidateGroup> ErnestTechnique::Candidates(const Dataset& data, const Roles& roles,
                                                        const Question&,
                                                        const Restrictions& restrictions) const {
  if (!roles.workers || data.schema.inputs[*roles.workers].min <= 0) return {};
  if (restrictions.scale == TargetScale::kLog) return {};
  const size_t level_count = LevelCount(data.schema);
  std::vector<CandidateGroup> groups;
  for (const double levels : {0.0, 1.0}) {
    if (levels == 1 && (level_count == 0 || level_count > kMostLevels)) continue;
    CandidateGroup group;
    for (const double relative : {0.0, 1.0}) {
      if (relative == 1 && data.y.minCoeff() <= 0) continue;
      group.push_back({.technique = std::string(name()),
                       .features = {.raw = true, .inverse = true, .log = true},
                       .settings = {{"levels", levels}, {"relative", relative}}});
    }
    groups.push_back(std::move(group));
  }
  return groups;
}

base::Result<std::vector<std::unique_ptr<Predictor>>> ErnestTechnique::Fit(
    const FitInput& input, const CandidateGroup& group) const {
  const FeatureMap features =
      ErnestTerms(input.data.schema, input.roles, group.front().settings.at("levels") == 1);
  const Matrix a = features.Apply(input.data.x);
  std::vector<std::unique_ptr<Predictor>> predictors;
  for (const Candidate& candidate : group) {
    const bool relative = candidate.settings.at("relative") == 1;
    const Vector row_weight = relative ? Vector(input.data.y.array().inverse())
                                       : Vector::Ones(input.data.y.size()).eval();
    RECKON_ASSIGN(Vector weights,
                  numeric::SolveNnls(row_weight.asDiagonal() * a,
                                     (row_weight.array() * input.data.y.array()).matrix()));
    // The first term is the constant: it becomes the intercept.
    std::vector<Term> terms(features.terms().begin() + 1, features.terms().end());
    predictors.push_back(std::make_unique<LinearPredictor>(
        FeatureMap(std::move(terms)), weights.tail(weights.size() - 1), weights(0)));
  }
  return predictors;
}

base::Result<std::unique_ptr<Predictor>> ErnestTechnique::Load(const base::Json& json,
                                                               const Schema& schema) const {
  return LinearPredictor::Load(json, schema);
}

}  // namespace reckon::learn
