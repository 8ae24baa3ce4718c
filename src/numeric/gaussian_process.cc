#include "numeric/gaussian_process.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <Eigen/Cholesky>

#include "numeric/minimise.h"

namespace reckon::numeric {
namespace {

using Index = Eigen::Index;

constexpr double kRoot5 = 2.2360679774997896;
constexpr int kSteps = 30;
constexpr double kReach = 2;
constexpr double kJitter = 1e-8;

// Parameters are logs: signal, linear, noise, then the weights of the groups.
constexpr Index kSignal = 0;
constexpr Index kLinear = 1;
constexpr Index kNoise = 2;
constexpr Index kWeights = 3;
constexpr std::array<double, 4> kPriorMean{0, 0, -4, -2};
constexpr double kPriorDeviation = 3;

size_t GroupCount(const ProcessData& data) {
  return data.group.empty() ? 0 : 1 + *std::max_element(data.group.begin(), data.group.end());
}

// Squared distances between all rows by the columns of one group.
Matrix GroupDistances(const ProcessData& data, size_t group) {
  Matrix distances = Matrix::Zero(data.x.rows(), data.x.rows());
  for (Index c = 0; c < data.x.cols(); ++c) {
    if (data.group[static_cast<size_t>(c)] != group) continue;
    const auto column = data.x.col(c);
    for (Index j = 0; j < data.x.rows(); ++j) {
      distances.col(j).array() += (column.array() - column(j)).square();
    }
  }
  return distances;
}

// Minus the log of the marginal likelihood and of the priors, with its gradient.
class Likelihood {
 public:
  explicit Likelihood(const ProcessData& data)
      : data_(data), products_(data.x * data.x.transpose() / static_cast<double>(data.x.cols())) {
    for (size_t g = 0; g < GroupCount(data); ++g) distances_.push_back(GroupDistances(data, g));
  }

  double operator()(const Vector& at, Vector& gradient) const {
    const Vector parameters = at.array().exp();
    const Index rows = data_.x.rows();
    Matrix squared = Matrix::Zero(rows, rows);
    for (size_t g = 0; g < distances_.size(); ++g) {
      squared += parameters(kWeights + static_cast<Index>(g)) * distances_[g];
    }
    const Matrix scaled = kRoot5 * squared.cwiseSqrt();
    const Matrix decay = (-scaled.array()).exp();
    const Matrix matern =
        parameters(kSignal) *
        ((1 + scaled.array() + scaled.array().square() / 3) * decay.array()).matrix();
    const Vector noise = parameters(kNoise) * data_.count.cwiseInverse();
    Matrix covariance = matern + parameters(kLinear) * products_;
    covariance.diagonal() += noise;
    covariance.diagonal().array() += kJitter;
    const Eigen::LLT<Matrix> factor(covariance);
    if (factor.info() != Eigen::Success) return std::numeric_limits<double>::infinity();
    const Vector coefficients = factor.solve(data_.y);
    double value =
        0.5 * data_.y.dot(coefficients) + factor.matrixLLT().diagonal().array().log().sum();
    // d value / d K = (K^-1 - coefficients coefficients^T) / 2.
    Matrix slope = factor.solve(Matrix::Identity(rows, rows));
    slope -= coefficients * coefficients.transpose();
    slope *= 0.5;
    gradient(kSignal) = slope.cwiseProduct(matern).sum();
    gradient(kLinear) = parameters(kLinear) * slope.cwiseProduct(products_).sum();
    gradient(kNoise) = slope.diagonal().dot(noise);
    // d Matern52 / d r^2 = -5/6 (1 + sqrt(5) r) exp(-sqrt(5) r).
    slope.array() *= -5.0 / 6 * parameters(kSignal) * (1 + scaled.array()) * decay.array();
    for (size_t g = 0; g < distances_.size(); ++g) {
      const Index p = kWeights + static_cast<Index>(g);
      gradient(p) = parameters(p) * slope.cwiseProduct(distances_[g]).sum();
    }
    for (Index p = 0; p < at.size(); ++p) {
      const double off = (at(p) - kPriorMean[static_cast<size_t>(std::min(p, kWeights))]) /
                         (kPriorDeviation * kPriorDeviation);
      value += 0.5 * off * off * kPriorDeviation * kPriorDeviation;
      gradient(p) += off;
    }
    return value;
  }

 private:
  const ProcessData& data_;
  Matrix products_;
  std::vector<Matrix> distances_;
};

}  // namespace

double Matern52(double squared_distance) {
  const double scaled = kRoot5 * std::sqrt(squared_distance);
  return (1 + scaled + scaled * scaled / 3) * std::exp(-scaled);
}

ProcessKernel FitKernel(const ProcessData& data) {
  const Likelihood likelihood(data);
  Vector start(kWeights + static_cast<Index>(GroupCount(data)));
  start.setConstant(-std::log(std::max<double>(1, static_cast<double>(data.x.cols()))));
  start(kSignal) = start(kLinear) = 0;
  start(kNoise) = kPriorMean[kNoise];
  const Vector found = Minimise(std::cref(likelihood), start, kSteps, kReach).array().exp();
  ProcessKernel kernel{found(kSignal), found(kLinear), found(kNoise), {}};
  kernel.weights.assign(found.begin() + kWeights, found.end());
  return kernel;
}

base::Result<Vector> ProcessCoefficients(const ProcessData& data, const ProcessKernel& kernel) {
  const Index rows = data.x.rows();
  Matrix near = data.x;
  for (Index c = 0; c < near.cols(); ++c) {
    near.col(c) *= std::sqrt(kernel.weights[data.group[static_cast<size_t>(c)]]);
  }
  near.transposeInPlace();
  Matrix covariance =
      data.x * data.x.transpose() * (kernel.linear / static_cast<double>(data.x.cols()));
  for (Index j = 0; j < rows; ++j) {
    for (Index i = j; i < rows; ++i) {
      covariance(i, j) += kernel.signal * Matern52((near.col(i) - near.col(j)).squaredNorm());
    }
  }
  covariance.diagonal() += kernel.noise * data.count.cwiseInverse();
  covariance.diagonal().array() += kJitter;
  const Eigen::LLT<Matrix> factor(covariance);  // reads the lower half alone
  if (factor.info() != Eigen::Success) {
    return base::Error(base::ErrorCode::kFailed, "the process's covariance is not definite");
  }
  return Vector(factor.solve(data.y));
}

}  // namespace reckon::numeric
