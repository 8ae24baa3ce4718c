#include "serve/sign_in_limit.h"

#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace reckon::serve {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr base::MonotonicTime kBegin{seconds(1'000)};

// Fails so often as it may, waiting in between as long as it must.
base::MonotonicTime FailPatiently(SignInLimit& limit, int times, base::MonotonicTime now) {
  for (int i = 0; i < times; ++i) {
    limit.Fail("10.0.0.1", now);
    now += limit.Wait("10.0.0.1", now).value_or(seconds(0));
  }
  return now;
}

TEST(SignInLimitTest, TheFirstFailuresCostNothingThenWaitingDoublesUpToALimit) {
  SignInLimit limit({.free_failures = 3, .first_wait = seconds(2), .longest_wait = seconds(10)});
  base::MonotonicTime now = kBegin;
  for (int i = 0; i < 3; ++i) {
    limit.Fail("10.0.0.1", now);
    EXPECT_EQ(limit.Wait("10.0.0.1", now), std::nullopt);
  }
  for (const int wait : {2, 4, 8, 10, 10}) {
    limit.Fail("10.0.0.1", now);
    EXPECT_EQ(limit.Wait("10.0.0.1", now), seconds(wait));
    EXPECT_EQ(limit.Wait("10.0.0.1", now + seconds(wait) - milliseconds(1)), seconds(1));
    now += seconds(wait);
    EXPECT_EQ(limit.Wait("10.0.0.1", now), std::nullopt);
  }
}

TEST(SignInLimitTest, OtherAddressesDoNotWait) {
  SignInLimit limit({});
  for (int i = 0; i < 1000; ++i) limit.Fail("10.0.0.1", kBegin);
  EXPECT_TRUE(limit.Wait("10.0.0.1", kBegin).has_value());
  EXPECT_EQ(limit.Wait("10.0.0.2", kBegin), std::nullopt);
  EXPECT_EQ(limit.Wait("::1", kBegin), std::nullopt);
  EXPECT_EQ(limit.Wait("", kBegin), std::nullopt);
}

TEST(SignInLimitTest, ANetworkOfIpv6IsOneSourceAndWritingAnAddressInAnotherWayDoesNotHelp) {
  SignInLimit limit({.free_failures = 1});
  limit.Fail("2001:db8::1", kBegin);
  limit.Fail("2001:db8::ffff:1", kBegin);
  EXPECT_TRUE(limit.Wait("2001:db8:0:0:abcd::7", kBegin).has_value());
  EXPECT_EQ(limit.Wait("2001:db8:0:1::7", kBegin), std::nullopt);
  limit.Fail("10.0.0.1", kBegin);
  limit.Fail("::ffff:10.0.0.1", kBegin);
  EXPECT_TRUE(limit.Wait("10.0.0.1", kBegin).has_value());
}

TEST(SignInLimitTest, FailuresAreForgottenAfterSilence) {
  SignInLimit limit({.free_failures = 2, .forget_after = seconds(600)});
  base::MonotonicTime now = FailPatiently(limit, 6, kBegin);
  now += seconds(600);
  limit.Fail("10.0.0.1", now);
  EXPECT_EQ(limit.Wait("10.0.0.1", now), std::nullopt);
}

TEST(SignInLimitTest, MemoryDoesNotGrowWithTheNumberOfAddresses) {
  SignInLimit limit({.free_failures = 0, .most_sources = 100});
  for (int i = 0; i < 100'000; ++i) {
    limit.Fail(fmt::format("10.{}.{}.{}", i >> 16, (i >> 8) & 255, i & 255), kBegin);
  }
  EXPECT_EQ(limit.sources(), 100U);
  // Who failed last is still known.
  EXPECT_TRUE(limit.Wait("10.1.134.159", kBegin).has_value());
  EXPECT_EQ(limit.Wait("10.0.0.0", kBegin), std::nullopt);
}

}  // namespace
}  // namespace reckon::serve
