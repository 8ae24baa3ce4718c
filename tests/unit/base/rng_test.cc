#include "base/rng.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace reckon::base {
namespace {

using testing::ElementsAre;

std::vector<uint64_t> Draw(Rng rng, size_t count) {
  std::vector<uint64_t> bits(count);
  std::generate(bits.begin(), bits.end(), [&] { return rng.NextBits(); });
  return bits;
}

// Computed with an independent implementation of splitmix64 and xoshiro256++ that reproduces the
// authors' vectors (state 1, 2, 3, 4 -> 41943041, 58720359, ...).
TEST(Rng, GivesTheRecordedNumbers) {
  EXPECT_THAT(Draw(Rng(1234567), 5),
              ElementsAre(437095814655224680ULL, 8127161015984454572ULL, 18128670339019551454ULL,
                          254746599813523466ULL, 6010839568078443526ULL));
  EXPECT_THAT(Draw(Rng(0), 3),
              ElementsAre(5987356902031041503ULL, 7051070477665621255ULL, 6633766593972829180ULL));
}

TEST(Rng, DerivedNumbersAreTheRecordedOnes) {
  Rng rng(1234567);
  EXPECT_EQ(rng.Uniform(), 437095814655224680ULL / 2048 * 0x1.0p-53);
  EXPECT_EQ(rng.Below(1000), 8127161015984454572ULL % 1000);
  // Not exactly: the logarithm and cosine of the C library may differ in the last bit.
  EXPECT_NEAR(Rng(1234567).Normal(), -0.20390957507722832, 1e-12);
  EXPECT_THAT(Rng(1).Permutation(8), ElementsAre(7, 1, 6, 5, 0, 4, 2, 3));
  EXPECT_THAT(Draw(Rng(1).Fork(1), 2),
              ElementsAre(16792199198105414364ULL, 15217055448761029303ULL));
}

TEST(Rng, ForkDoesNotDependOnDraws) {
  Rng rng(42);
  const std::vector<uint64_t> before = Draw(rng.Fork(3), 10);
  for (int i = 0; i < 100; ++i) rng.NextBits();
  EXPECT_EQ(Draw(rng.Fork(3), 10), before);
}

TEST(Rng, ForksDifferFromEachOtherAndFromTheirParent) {
  std::set<uint64_t> first_numbers{Rng(42).NextBits()};
  for (uint64_t stream = 0; stream < 1000; ++stream) {
    first_numbers.insert(Rng(42).Fork(stream).NextBits());
    first_numbers.insert(Rng(43).Fork(stream).NextBits());
    first_numbers.insert(Rng(42).Fork(1).Fork(stream).NextBits());
  }
  EXPECT_EQ(first_numbers.size(), 3001U);
}

TEST(Rng, ForksAreNotCorrelated) {
  Rng a = Rng(7).Fork(0);
  Rng b = Rng(7).Fork(1);
  double sum = 0;
  constexpr int kCount = 100000;
  for (int i = 0; i < kCount; ++i) sum += (a.Uniform() - 0.5) * (b.Uniform() - 0.5);
  // Standard deviation of the mean of the product: 1/12 / sqrt(n).
  EXPECT_LT(std::fabs(sum / kCount), 4.0 / 12 / std::sqrt(kCount));
}

TEST(Rng, UniformIsInRangeAndEven) {
  Rng rng(1);
  constexpr int kCount = 100000;
  double sum = 0;
  double squares = 0;
  for (int i = 0; i < kCount; ++i) {
    const double u = rng.Uniform();
    ASSERT_GE(u, 0);
    ASSERT_LT(u, 1);
    sum += u;
    squares += u * u;
  }
  EXPECT_NEAR(sum / kCount, 0.5, 0.004);
  EXPECT_NEAR(squares / kCount, 1.0 / 3, 0.004);
}

double ChiSquare(uint64_t seed, uint64_t bound, int count) {
  Rng rng(seed);
  std::vector<int> hits(bound);
  for (int i = 0; i < count; ++i) ++hits.at(rng.Below(bound));
  const double expected = static_cast<double>(count) / static_cast<double>(bound);
  return std::accumulate(hits.begin(), hits.end(), 0.0, [&](double sum, int n) {
    return sum + (n - expected) * (n - expected) / expected;
  });
}

TEST(Rng, BelowIsUniform) {
  // 99.9 % points of chi-square with bound - 1 degrees of freedom.
  EXPECT_LT(ChiSquare(1, 2, 100000), 10.83);
  EXPECT_LT(ChiSquare(2, 10, 100000), 27.88);
  EXPECT_LT(ChiSquare(3, 101, 200000), 149.4);
  EXPECT_EQ(Rng(1).Below(1), 0U);
}

TEST(Rng, BelowHasNoModuloBias) {
  // With "bits % bound", numbers below 2^62 would come half of the time, not a third.
  constexpr uint64_t kBound = uint64_t{3} << 62;
  Rng rng(5);
  int low = 0;
  constexpr int kCount = 30000;
  for (int i = 0; i < kCount; ++i) low += rng.Below(kBound) < (uint64_t{1} << 62) ? 1 : 0;
  EXPECT_NEAR(static_cast<double>(low) / kCount, 1.0 / 3, 0.015);
}

TEST(RngDeathTest, BelowZeroIsAMistake) { EXPECT_DEATH(Rng(1).Below(0), "check failed"); }

TEST(Rng, NormalHasTheMomentsOfTheNormal) {
  Rng rng(9);
  constexpr int kCount = 200000;
  std::array<double, 5> moments{};
  int outside = 0;
  for (int i = 0; i < kCount; ++i) {
    const double x = rng.Normal();
    ASSERT_TRUE(std::isfinite(x));
    for (size_t k = 1; k < moments.size(); ++k) moments[k] += std::pow(x, k) / kCount;
    outside += std::fabs(x) > 1.959964 ? 1 : 0;
  }
  EXPECT_NEAR(moments[1], 0, 0.009);
  EXPECT_NEAR(moments[2], 1, 0.013);
  EXPECT_NEAR(moments[3], 0, 0.035);
  EXPECT_NEAR(moments[4], 3, 0.09);
  EXPECT_NEAR(static_cast<double>(outside) / kCount, 0.05, 0.002);
}

TEST(Rng, PermutationHasEveryIndexOnce) {
  Rng rng(3);
  for (const size_t count : {0UL, 1UL, 2UL, 1000UL}) {
    std::vector<size_t> order = rng.Permutation(count);
    std::sort(order.begin(), order.end());
    std::vector<size_t> expected(count);
    std::iota(expected.begin(), expected.end(), size_t{0});
    EXPECT_EQ(order, expected);
  }
}

TEST(Rng, PermutationsAreEquallyLikely) {
  Rng rng(4);
  std::map<std::vector<size_t>, int> hits;
  constexpr int kCount = 24000;
  for (int i = 0; i < kCount; ++i) ++hits[rng.Permutation(4)];
  ASSERT_EQ(hits.size(), 24U);
  double chi_square = 0;
  for (const auto& [order, n] : hits) chi_square += (n - 1000.0) * (n - 1000.0) / 1000.0;
  EXPECT_LT(chi_square, 49.73);  // 99.9 % point, 23 degrees of freedom
}

}  // namespace
}  // namespace reckon::base
