#include "base/fingerprint.h"

#include <cmath>
#include <limits>
#include <set>

#include <gtest/gtest.h>

namespace reckon::base {
namespace {

std::string Of(std::string_view bytes) {
  Fingerprint fingerprint;
  fingerprint.Add(bytes);
  return fingerprint.Hex();
}

std::string Of(double number) {
  Fingerprint fingerprint;
  fingerprint.Add(number);
  return fingerprint.Hex();
}

TEST(Fingerprint, LowHalfIsFnv1a) {
  // Published values of 64-bit FNV-1a.
  EXPECT_EQ(Of("").substr(16), "cbf29ce484222325");
  EXPECT_EQ(Of("a").substr(16), "af63dc4c8601ec8c");
  EXPECT_EQ(Of("foobar").substr(16), "85944171f73967e8");
}

TEST(Fingerprint, HasThirtyTwoDigits) {
  EXPECT_EQ(Of("x").size(), 32U);
  EXPECT_EQ(Of("x").find_first_not_of("0123456789abcdef"), std::string::npos);
}

TEST(Fingerprint, TellsContentsApart) {
  std::set<std::string> all;
  for (int i = 0; i < 20000; ++i) all.insert(Of(std::to_string(i)));
  EXPECT_EQ(all.size(), 20000U);
  EXPECT_NE(Of("ab"), Of("ba"));
  EXPECT_NE(Of(std::string_view("\0", 1)), Of(""));
}

TEST(Fingerprint, SeesBytesNotCalls) {
  Fingerprint parts;
  parts.Add("foo");
  parts.Add("bar");
  EXPECT_EQ(parts.Hex(), Of("foobar"));
}

TEST(Fingerprint, EqualNumbersAreEqual) {
  EXPECT_EQ(Of(0.0), Of(-0.0));
  EXPECT_NE(Of(1.0), Of(-1.0));
  EXPECT_NE(Of(1.0), Of(std::nextafter(1.0, 2.0)));
}

TEST(Fingerprint, EveryMissingNumberIsTheSame) {
  const double quiet = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(Of(quiet), Of(-quiet));
  EXPECT_EQ(Of(quiet), Of(std::nan("7")));
}

}  // namespace
}  // namespace reckon::base
