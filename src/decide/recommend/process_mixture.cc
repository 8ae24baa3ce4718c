#include "decide/recommend/process_mixture.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <Eigen/Cholesky>

#include "numeric/gaussian_process.h"

namespace reckon::decide {
namespace {

using Index = Eigen::Index;

constexpr double kSlopesSpread = 0.4;
constexpr double kSolvable = 1e-8;
constexpr double kLeastWeight = 1e-3;  // of the greatest: less changes nothing

double Draw(double median, double spread, base::Rng& rng) {
  return median * std::exp(spread * rng.Normal());
}

}  // namespace

ProcessMixture::ProcessMixture(const ConfigurationInputs& inputs, Matrix linear, Vector slope,
                               Vector deviation, const MixturePrior& prior, base::Rng rng)
    : linear_(std::move(linear)),
      deviation_(std::move(deviation)),
      constant_(prior.constant),
      centred_(prior.centred) {
  const Vector line = linear_ * slope;
  const size_t groups =
      inputs.group.empty() ? 0 : *std::max_element(inputs.group.begin(), inputs.group.end()) + 1;
  for (size_t i = 0; i < prior.hypotheses; ++i) {
    Hypothesis one;
    std::vector<double> lengths;
    for (size_t g = 0; g < groups; ++g) {
      lengths.push_back(Draw(prior.length, prior.length_spread, rng));
    }
    one.near = inputs.nearness;
    for (Index c = 0; c < one.near.cols(); ++c) {
      one.near.col(c) /= lengths[inputs.group[static_cast<size_t>(c)]];
    }
    one.signal = Draw(prior.signal, prior.spread, rng);
    one.noise = Draw(prior.noise, prior.spread, rng);
    one.slopes = Draw(1, kSlopesSpread, rng);
    one.mean = line;
    const double chance = rng.Uniform();
    const double place = rng.Uniform();
    const double drop = Draw(prior.cliff, prior.cliff_spread, rng);
    if (inputs.log_all_memory && chance < prior.cliff_chance) {
      const Vector& memory = *inputs.log_all_memory;
      const double at = memory.minCoeff() + place * (memory.maxCoeff() - memory.minCoeff());
      for (Index row = 0; row < one.mean.size(); ++row) {
        if (memory(row) >= at) one.mean(row) -= drop;
      }
    }
    hypotheses_.push_back(std::move(one));
  }
}

// Of all configurations with those of `rows`.
Matrix ProcessMixture::Covariance(const Hypothesis& hypothesis,
                                  std::span<const size_t> rows) const {
  const std::vector<Index> some(rows.begin(), rows.end());
  const Matrix& all = hypothesis.near;
  const Matrix own = all(some, Eigen::all);
  Matrix squared = -2 * all * own.transpose();
  squared.colwise() += all.rowwise().squaredNorm();
  squared.rowwise() += own.rowwise().squaredNorm().transpose();
  const double signal = hypothesis.signal * hypothesis.signal;
  Matrix covariance = squared.unaryExpr(
      [&](double value) { return signal * numeric::Matern52(std::max(0.0, value)); });
  const Matrix scaled = linear_ * (deviation_ * hypothesis.slopes).asDiagonal();
  covariance += scaled * scaled(some, Eigen::all).transpose();
  covariance.array() += constant_ * constant_;
  return covariance;
}

base::Result<MixtureView> ProcessMixture::Condition(std::span<const size_t> rows,
                                                    const Vector& values,
                                                    const Vector& variance) const {
  const std::vector<Index> some(rows.begin(), rows.end());
  const Index count = linear_.rows();
  std::vector<double> likelihoods;
  std::vector<Vector> means;
  std::vector<Vector> deviations;
  std::vector<double> noises;
  for (const Hypothesis& one : hypotheses_) {
    const Matrix with = Covariance(one, rows);  // all x rows
    Matrix own = with(some, Eigen::all);
    own.diagonal().array() += one.noise * one.noise + kSolvable;
    own.diagonal() += variance;
    const Eigen::LLT<Matrix> factor(own);
    if (factor.info() != Eigen::Success) continue;
    Vector left = values - Vector(one.mean(some));
    const double level = centred_ ? left.mean() : 0;
    left.array() -= level;
    const Vector white = factor.matrixL().solve(left);
    const Matrix whitened = factor.matrixL().solve(with.transpose());
    likelihoods.push_back(-0.5 * white.squaredNorm() -
                          Matrix(factor.matrixL()).diagonal().array().log().sum());
    means.push_back(one.mean.array() + level + (whitened.transpose() * white).array());
    const Matrix scaled = linear_ * (deviation_ * one.slopes).asDiagonal();
    Vector spread = scaled.rowwise().squaredNorm();
    spread.array() += one.signal * one.signal + constant_ * constant_;
    spread -= whitened.colwise().squaredNorm().transpose();
    deviations.push_back(spread.cwiseMax(0).cwiseSqrt());
    noises.push_back(one.noise);
  }
  if (means.empty()) {
    return base::Error(base::ErrorCode::kFailed, "no covariance of the trials is definite");
  }
  const double best = *std::max_element(likelihoods.begin(), likelihoods.end());
  std::vector<size_t> kept;
  double sum = 0;
  for (size_t i = 0; i < likelihoods.size(); ++i) {
    const double weight = std::exp(likelihoods[i] - best);
    if (weight < kLeastWeight) continue;
    kept.push_back(i);
    sum += weight;
  }
  const auto size = static_cast<Index>(kept.size());
  MixtureView view{Vector(size), Matrix(size, count), Matrix(size, count), Vector(size)};
  for (Index k = 0; k < size; ++k) {
    const size_t i = kept[static_cast<size_t>(k)];
    view.weight(k) = std::exp(likelihoods[i] - best) / sum;
    view.mean.row(k) = means[i];
    view.deviation.row(k) = deviations[i];
    view.noise(k) = noises[i];
  }
  return view;
}

}  // namespace reckon::decide
