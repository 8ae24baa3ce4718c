#include "numeric/normal.h"

#include <cmath>

#include <gtest/gtest.h>

namespace reckon::numeric {
namespace {

TEST(NormalTest, TablesOfIt) {
  EXPECT_NEAR(NormalDensity(0), 0.3989422804, 1e-9);
  EXPECT_NEAR(NormalBelow(0), 0.5, 1e-12);
  EXPECT_NEAR(NormalBelow(1.959963985), 0.975, 1e-9);
  EXPECT_NEAR(NormalBelow(-8), 6.22096e-16, 1e-20);
}

TEST(NormalTest, QuantilesInvertIt) {
  EXPECT_NEAR(NormalQuantile(0.95), 1.6448536270, 1e-9);
  EXPECT_NEAR(NormalQuantile(0.5), 0, 1e-12);
  for (double p = 0.001; p < 1; p += 0.001) EXPECT_NEAR(NormalBelow(NormalQuantile(p)), p, 1e-12);
  EXPECT_NEAR(NormalQuantile(1e-9), -5.9978070150, 1e-7);
}

TEST(NormalTest, TheTailAboveALimit) {
  EXPECT_NEAR(NormalUpperTail(0).mean, std::sqrt(2 / M_PI), 1e-12);
  EXPECT_NEAR(NormalUpperTail(0).variance, 1 - 2 / M_PI, 1e-12);
  // Nothing is cut off: the whole distribution.
  EXPECT_NEAR(NormalUpperTail(-10).mean, 0, 1e-9);
  EXPECT_NEAR(NormalUpperTail(-10).variance, 1, 1e-9);
  // Always beyond the limit, ever closer to it, and without a jump where the formula changes.
  double before = 1;
  for (double z = 1; z < 40; z += 0.01) {
    const UpperTail tail = NormalUpperTail(z);
    EXPECT_GT(tail.mean, z);
    EXPECT_LT(tail.mean - z, before);
    before = tail.mean - z + 1e-4;
    EXPECT_GE(tail.variance, 0);
  }
}

}  // namespace
}  // namespace reckon::numeric
