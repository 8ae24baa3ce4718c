#include "decide/design/surrogate.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <Eigen/Cholesky>

#include "learn/thin_rows.h"
#include "numeric/stats.h"

namespace reckon::decide {
namespace {

using Index = Eigen::Index;

constexpr size_t kLeastForKernel = 6;
constexpr size_t kMostForKernel = 150;
constexpr double kJitter = 1e-8;

std::vector<Index> Indices(std::span<const size_t> rows) { return {rows.begin(), rows.end()}; }

size_t GroupCount(const Space& space) { return space.inputs.schema.inputs.size(); }

}  // namespace

Observed Collect(std::span<const Measurement> measured) {
  Observed observed;
  std::map<size_t, size_t> place;
  std::vector<std::vector<double>> seconds;
  std::vector<std::vector<double>> took;
  for (const Measurement& measurement : measured) {
    const auto [found, is_new] = place.try_emplace(measurement.row, observed.rows.size());
    if (is_new) {
      observed.rows.push_back(measurement.row);
      seconds.emplace_back();
      took.emplace_back();
    }
    seconds[found->second].push_back(std::log(measurement.seconds));
    took[found->second].push_back(
        std::log(measurement.took_s > 0 ? measurement.took_s : measurement.seconds));
  }
  const auto size = static_cast<Index>(observed.rows.size());
  for (Vector* part : {&observed.log_seconds, &observed.log_took, &observed.count}) {
    part->resize(size);
  }
  for (Index i = 0; i < size; ++i) {
    const auto at = static_cast<size_t>(i);
    observed.log_seconds(i) = numeric::Median(seconds[at]);
    observed.log_took(i) = numeric::Median(took[at]);
    observed.count(i) = static_cast<double>(seconds[at].size());
  }
  if (size > 0) observed.count /= observed.count.mean();
  return observed;
}

LogKernel ChooseKernel(const Space& space, const Observed& observed, const base::Rng& rng) {
  const auto columns = static_cast<double>(std::max<Index>(1, space.features.cols()));
  if (observed.rows.size() < kLeastForKernel || space.features.cols() == 0) {
    return {.signal = 0.25,
            .linear = 1,
            .noise = 0.01,
            .weights = std::vector<double>(GroupCount(space), 1 / columns)};
  }
  const std::vector<size_t> kept = learn::ThinRows(observed.rows.size(), kMostForKernel, rng);
  std::vector<Index> rows;
  for (const size_t at : kept) rows.push_back(static_cast<Index>(observed.rows[at]));
  const Vector y = observed.log_seconds(kept);
  const double spread = std::max(1e-3, std::sqrt((y.array() - y.mean()).square().mean()));
  const numeric::ProcessData data{space.features(rows, Eigen::all), (y.array() - y.mean()) / spread,
                                  observed.count(kept), space.group};
  LogKernel kernel = numeric::FitKernel(data);
  for (double* part : {&kernel.signal, &kernel.linear, &kernel.noise}) *part *= spread * spread;
  kernel.weights.resize(GroupCount(space), 0);
  return kernel;
}

Surrogate::Surrogate(const Space& space, LogKernel kernel, Observed observed)
    : space_(&space),
      kernel_(std::move(kernel)),
      observed_(std::move(observed)),
      scaled_(space.features) {
  for (Index c = 0; c < scaled_.cols(); ++c) {
    scaled_.col(c) *= std::sqrt(kernel_.weights[space.group[static_cast<size_t>(c)]]);
  }
}

base::Result<Surrogate> Surrogate::Condition(const Space& space, LogKernel kernel,
                                             Observed observed) {
  Surrogate surrogate(space, std::move(kernel), std::move(observed));
  const Observed& seen = surrogate.observed_;
  if (seen.rows.empty()) return surrogate;
  Matrix covariance = surrogate.Prior(seen.rows, seen.rows);
  covariance.diagonal() += surrogate.kernel_.noise * seen.count.cwiseInverse();
  covariance.diagonal().array() += kJitter;
  const Eigen::LLT<Matrix> factor(covariance);
  if (factor.info() != Eigen::Success) {
    return base::Error(base::ErrorCode::kFailed, "the design's covariance is not definite");
  }
  surrogate.lower_ = factor.matrixL();
  const auto whiten = [&](const Vector& y, double mean) {
    return Vector(factor.matrixL().solve((y.array() - mean).matrix()));
  };
  surrogate.seconds_mean_ = seen.log_seconds.mean();
  surrogate.took_mean_ = seen.log_took.mean();
  surrogate.seconds_white_ = whiten(seen.log_seconds, surrogate.seconds_mean_);
  surrogate.took_white_ = whiten(seen.log_took, surrogate.took_mean_);
  return surrogate;
}

Matrix Surrogate::Prior(std::span<const size_t> a, std::span<const size_t> b) const {
  const std::vector<Index> left = Indices(a);
  const std::vector<Index> right = Indices(b);
  const Matrix x = scaled_(left, Eigen::all);
  const Matrix z = scaled_(right, Eigen::all);
  // |x - z|^2 = |x|^2 + |z|^2 - 2 x.z: one product of matrices instead of a loop over pairs.
  Matrix squared = -2 * x * z.transpose();
  squared.colwise() += x.rowwise().squaredNorm();
  squared.rowwise() += z.rowwise().squaredNorm().transpose();
  const double terms = static_cast<double>(std::max<Index>(1, scaled_.cols()));
  Matrix prior = squared.unaryExpr(
      [&](double value) { return kernel_.signal * numeric::Matern52(std::max(0.0, value)); });
  prior += space_->features(left, Eigen::all) * space_->features(right, Eigen::all).transpose() *
           (kernel_.linear / terms);
  return prior;
}

Surrogate::View Surrogate::Look(std::vector<size_t> rows) const {
  View view{.rows = std::move(rows)};
  const auto size = static_cast<Index>(view.rows.size());
  const auto terms = static_cast<double>(std::max<Index>(1, scaled_.cols()));
  const auto features = space_->features(Indices(view.rows), Eigen::all);
  view.variance =
      kernel_.signal + kernel_.linear / terms * features.rowwise().squaredNorm().array();
  view.log_seconds = Vector::Constant(size, seconds_mean_);
  view.log_took = Vector::Constant(size, took_mean_);
  if (observed_.rows.empty()) return view;
  view.whitened = lower_.triangularView<Eigen::Lower>().solve(Prior(observed_.rows, view.rows));
  view.log_seconds += view.whitened.transpose() * seconds_white_;
  view.log_took += view.whitened.transpose() * took_white_;
  view.variance -= view.whitened.colwise().squaredNorm().transpose();
  view.variance = view.variance.cwiseMax(0);
  return view;
}

Matrix Surrogate::Covariance(const View& a, const View& b) const {
  Matrix covariance = Prior(a.rows, b.rows);
  if (!observed_.rows.empty()) covariance -= a.whitened.transpose() * b.whitened;
  return covariance;
}

Surrogate::LeftOut Surrogate::LeaveOneOut() const {
  const auto size = static_cast<Index>(observed_.rows.size());
  const Matrix inverse_lower =
      lower_.triangularView<Eigen::Lower>().solve(Matrix::Identity(size, size));
  const Vector precision = inverse_lower.colwise().squaredNorm();
  const Vector weights = inverse_lower.transpose() * seconds_white_;
  return {weights.cwiseQuotient(precision), precision.cwiseSqrt().cwiseInverse()};
}

}  // namespace reckon::decide
