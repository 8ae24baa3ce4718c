#include "learn/interval.h"

#include <algorithm>
#include <cmath>

#include <nlohmann/json.hpp>

#include "numeric/stats.h"

namespace reckon::learn {
namespace {

// Per unit of distance (a factor of e beyond the range): a tenth when the model was compared on
// rows outside what it had seen, a third when it was not. Chosen by
// judgement, not fitted to data: they keep a perfect fit inside the range from promising the same
// outside.
constexpr double kBeyondPractised = 0.1;
constexpr double kBeyondUnpractised = 0.35;

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
    squares += distance * distance;
  }
  return std::sqrt(squares);
}

double IntervalRule::HalfWidth(double distance) const {
  return std::hypot(slope * (kNear + distance), noise, beyond * distance);
}

void IntervalRule::Bounds(double predicted, double distance, double& lower, double& upper) const {
  const double half = HalfWidth(distance);
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
  rule.noise = json["noise"].get<double>();
  rule.beyond = json["beyond"].get<double>();
  rule.relative = json["relative"].get<bool>();
  return rule;
}

IntervalRule CalibrateInterval(std::span<const SelectionResidual> residuals, const Vector& truth,
                               const Vector& fitted) {
  IntervalRule rule;
  rule.relative = truth.minCoeff() > 0;
  const auto error = [&](double actual, double predicted) {
    return std::fabs(rule.relative ? std::log(actual / predicted) : actual - predicted);
  };
  std::vector<double> slopes;
  slopes.reserve(residuals.size());
  for (const SelectionResidual& residual : residuals) {
    slopes.push_back(error(residual.truth, residual.predicted) /
                     (IntervalRule::kNear + residual.distance));
  }
  std::vector<double> noises;
  noises.reserve(static_cast<size_t>(truth.size()));
  for (Eigen::Index i = 0; i < truth.size(); ++i) noises.push_back(error(truth(i), fitted(i)));
  if (!slopes.empty()) rule.slope = numeric::ConformalQuantile(slopes, rule.level);
  rule.noise = numeric::ConformalQuantile(noises, rule.level);
  const bool practised = std::any_of(residuals.begin(), residuals.end(),
                                     [](const auto& residual) { return residual.distance > 0; });
  rule.beyond = practised ? kBeyondPractised : kBeyondUnpractised;
  if (!rule.relative) rule.beyond *= (truth.maxCoeff() - truth.minCoeff());
  return rule;
}

}  // namespace reckon::learn
