#include "numeric/gaussian_process.h"

#include <cmath>

#include <gtest/gtest.h>

#include "base/rng.h"
#include "numeric/minimise.h"
#include "numeric/standardise.h"

namespace reckon::numeric {
namespace {

TEST(MinimiseTest, FindsTheBottomOfACurvedValley) {
  const auto rosenbrock = [](const Vector& at, Vector& gradient) {
    const double a = 1 - at(0);
    const double b = at(1) - at(0) * at(0);
    gradient(0) = -2 * a - 400 * at(0) * b;
    gradient(1) = 200 * b;
    return a * a + 100 * b * b;
  };
  Vector start(2);
  start << -1.2, 1;
  const Vector found = Minimise(rosenbrock, start, 200, 1);
  EXPECT_NEAR(found(0), 1, 0.05);
  EXPECT_NEAR(found(1), 1, 0.05);
}

TEST(MinimiseTest, StaysInBounds) {
  const auto logarithm = [](const Vector& at, Vector& gradient) {
    gradient(0) = 1 - 1 / at(0);
    return at(0) > 0 ? at(0) - std::log(at(0)) : NAN;
  };
  EXPECT_NEAR(Minimise(logarithm, Vector::Constant(1, 5), 50, 10)(0), 1, 0.01);
}

ProcessData Waves(Eigen::Index rows, double noise) {
  base::Rng rng(3);
  Matrix x(rows, 2);
  for (double& cell : x.reshaped()) cell = 6 * rng.Uniform();
  ProcessData data{Standardise(x).x, Vector(rows), Vector::Ones(rows), {0, 1}};
  for (Eigen::Index i = 0; i < rows; ++i) data.y(i) = std::sin(x(i, 0)) + noise * rng.Normal();
  data.y = Standardise(data.y).x.col(0);
  return data;
}

TEST(GaussianProcessTest, TellsWhichInputCountsAndHowMuchNoiseThereIs) {
  const ProcessKernel kernel = FitKernel(Waves(120, 0.1));
  EXPECT_GT(kernel.weights[0], 5 * kernel.weights[1]);
  EXPECT_GT(kernel.noise, 0.005);
  EXPECT_LT(kernel.noise, 0.06);
}

TEST(GaussianProcessTest, WithLittleNoiseItGoesThroughTheRows) {
  const ProcessData data = Waves(40, 0);
  ProcessKernel kernel{1, 0.5, 1e-8, {1, 0.1}};
  const Vector coefficients = ProcessCoefficients(data, kernel).value();
  for (Eigen::Index i = 0; i < 40; ++i) {
    double mean = 0;
    for (Eigen::Index j = 0; j < 40; ++j) {
      const double squared =
          std::pow(data.x(i, 0) - data.x(j, 0), 2) + 0.1 * std::pow(data.x(i, 1) - data.x(j, 1), 2);
      mean += coefficients(j) * (Matern52(squared) + 0.5 * data.x.row(i).dot(data.x.row(j)) / 2);
    }
    EXPECT_NEAR(mean, data.y(i), 1e-4);
  }
}

}  // namespace
}  // namespace reckon::numeric
