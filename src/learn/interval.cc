#include "learn/interval.h"

#include <algorithm>
#include <array>
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

// With fewer than 9 left-out rows no order statistic reaches 90 %, and with not many more their
// greatest says little. Below kEnoughRows errors are taken for normal with a deviation that is
// known from these rows and one more of kFewRowsError. Four degrees of freedom are lost to the
// choice among many models, by which the errors look too small: with them, and not with fewer,
// about 90 % of new rows are covered from 3 noisy rows on.
constexpr size_t kEnoughRows = 16;
constexpr size_t kLostToChoice = 4;
constexpr double kFewRowsError = 0.05;
// Student's 95 % quantiles for 1, 2, ... degrees of freedom.
constexpr std::array<double, 11> kStudent{6.314, 2.920, 2.353, 2.132, 2.015, 1.943,
                                          1.895, 1.860, 1.833, 1.812, 1.796};

constexpr double kLargest = 1e300;

// Of one column. Far beyond any question that makes sense, and small enough to be squared.
constexpr double kFarthest = 1e6;

double FewRowsSlope(std::span<const double> slopes, double unit) {
  const auto count = static_cast<double>(slopes.size());
  double squares = std::pow(kFewRowsError * unit / kNear, 2);
  for (const double slope : slopes) squares += slope * slope;
  const size_t freedom = slopes.size() > kLostToChoice ? slopes.size() - kLostToChoice : 1;
  return kStudent[freedom - 1] * std::sqrt(squares / (count + 1) * (1 + 1 / count));
}

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
                               bool practised) {
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
  const double range = truth.maxCoeff() - truth.minCoeff();
  rule.slope = numeric::ConformalQuantile(slopes, rule.level);
  if (slopes.size() < kEnoughRows) {
    rule.slope = std::max(rule.slope, FewRowsSlope(slopes, rule.relative ? 1 : range));
  }
  if (practised) rule.slope *= kBeyondCuts;
  rule.beyond = practised ? kBeyondPractised : kBeyondUnpractised;
  if (!rule.relative) rule.beyond *= range;
  return rule;
}

}  // namespace reckon::learn
