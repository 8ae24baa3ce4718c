#include "learn/interval.h"

#include <algorithm>
#include <cmath>

#include <nlohmann/json.hpp>

#include "base/check.h"
#include "numeric/stats.h"

namespace reckon::learn {
namespace {

// An error is compared with near + distance + spread * disagreement. Only the ratios matter:
// members of a blend that disagree by 5 % are as doubtful as a question a factor of e^0.5 outside
// the range, and both as doubtful as any question is. Scores change by less than 7 % when these are
// halved or doubled (docs/results/accuracy.md).
constexpr double kNear = 0.5;
constexpr double kSpread = 10;

// The inner cuts ask for less than the user will: they lie nearer, and growth may change beyond the
// range. On unseen jobs intervals from cuts alone were known to cover 5 to 10 points too few.
constexpr double kBeyondCuts = 1.25;

// A floor per unit of distance (a factor of e beyond the range): a tenth when the model was
// compared on rows outside what it had seen, a third when it was not. Chosen by judgement, not
// fitted to data: they keep a perfect fit inside the range from promising the same outside.
constexpr double kBeyondPractised = 0.1;
constexpr double kBeyondUnpractised = 0.35;

constexpr double kLargest = 1e300;

// Of one column. Far beyond any question that makes sense, and small enough to be squared.
constexpr double kFarthest = 1e6;

}  // namespace

double InputDistance(const Eigen::Ref<const Eigen::RowVectorXd>& x, const Schema& schema) {
  double squares = 0;
  for (size_t j = 0; j < schema.inputs.size(); ++j) {
    const InputColumn& input = schema.inputs[j];
    const double cell = x(static_cast<Eigen::Index>(j));
    double distance = 0;
    if (input.kind == core::ColumnKind::kCategory) {
      distance = cell < 0 ? 1 : 0;
    } else if (cell < input.min || cell > input.max) {
      const double end = cell < input.min ? input.min : input.max;
      if (input.min > 0 && cell > 0) {
        distance = std::fabs(std::log(cell / end));
      } else {
        const double width = input.max > input.min ? input.max - input.min : 1;
        distance = std::fabs(cell - end) / width;
      }
    }
    squares += std::pow(std::min(distance, kFarthest), 2);
  }
  return std::sqrt(squares);
}

double IntervalRule::HalfWidth(const Doubt& doubt) const {
  return std::hypot(slope * (near + doubt.distance + spread * doubt.spread), noise,
                    beyond * doubt.distance);
}

void IntervalRule::Bounds(double predicted, const Doubt& doubt, double& lower,
                          double& upper) const {
  // Not so written by any fit, but a file may hold numbers whose product is none.
  const double wide = HalfWidth(doubt);
  const double half = wide <= kLargest ? wide : kLargest;
  if (relative) {
    const double factor = std::exp(std::min(half, kWidest));
    lower = predicted / factor;
    upper = predicted * factor;
  } else {
    lower = predicted - half;
    upper = predicted + half;
  }
}

base::Json IntervalRule::ToJson() const {
  base::Json json;
  json["level"] = level;
  json["relative"] = relative;
  json["slope"] = slope;
  json["near"] = near;
  json["spread"] = spread;
  json["noise"] = noise;
  json["beyond"] = beyond;
  return json;
}

base::Result<IntervalRule> IntervalRule::FromJson(const base::Json& json) {
  const auto number = [&](const char* key) {
    return json.is_object() && json.contains(key) && json[key].is_number() &&
           json[key].get<double>() >= 0;
  };
  if (!number("level") || !number("slope") || !number("noise") || !number("beyond") ||
      !json.contains("relative") || !json["relative"].is_boolean()) {
    return base::Error(base::ErrorCode::kCorrupt,
                       "'interval' needs level, slope, noise, beyond and relative");
  }
  IntervalRule rule;
  rule.level = json["level"].get<double>();
  rule.slope = json["slope"].get<double>();
  for (const auto& [key, value] : {std::pair("near", &rule.near), {"spread", &rule.spread}}) {
    if (!json.contains(key)) continue;
    if (!number(key)) {
      return base::Error(base::ErrorCode::kCorrupt, "'interval' has a bad near or spread");
    }
    *value = json[key].get<double>();
  }
  rule.noise = json["noise"].get<double>();
  rule.beyond = json["beyond"].get<double>();
  rule.relative = json["relative"].get<bool>();
  return rule;
}

IntervalRule CalibrateInterval(std::span<const SelectionResidual> residuals, const Vector& truth,
                               const Question& question) {
  RECKON_CHECK(!residuals.empty());
  IntervalRule rule;
  rule.relative = truth.minCoeff() > 0;
  rule.near = kNear;
  rule.spread = kSpread;
  std::vector<double> slopes;
  slopes.reserve(residuals.size());
  for (const SelectionResidual& residual : residuals) {
    const double error = rule.relative ? std::log(residual.truth / residual.predicted)
                                       : residual.truth - residual.predicted;
    slopes.push_back(std::fabs(error) /
                     (rule.near + residual.distance + rule.spread * residual.spread));
  }
  rule.slope = numeric::ConformalQuantile(slopes, rule.level);
  // Folds that miss the end of a column are no practice for going beyond it.
  const bool practised = question.extrapolate &&
                         std::any_of(residuals.begin(), residuals.end(),
                                     [](const auto& residual) { return residual.distance > 0; });
  if (practised) rule.slope *= kBeyondCuts;
  rule.beyond = practised ? kBeyondPractised : kBeyondUnpractised;
  if (!rule.relative) rule.beyond *= (truth.maxCoeff() - truth.minCoeff());
  return rule;
}

}  // namespace reckon::learn
