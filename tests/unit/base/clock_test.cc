#include "base/clock.h"

#include <gtest/gtest.h>

#include "tests/unit/base/fake_clock.h"

namespace reckon::base {
namespace {

using std::chrono::days;
using std::chrono::hours;
using std::chrono::microseconds;
using std::chrono::seconds;

WallTime Day(int64_t days_since_1970) { return WallTime(days(days_since_1970)); }

TEST(FormatTime, KnowsTheCalendar) {
  EXPECT_EQ(FormatTime(Day(0)), "1970-01-01T00:00:00.000000Z");
  EXPECT_EQ(FormatTime(Day(19782)), "2024-02-29T00:00:00.000000Z");
  EXPECT_EQ(FormatTime(Day(19783) - microseconds(1)), "2024-02-29T23:59:59.999999Z");
  EXPECT_EQ(FormatTime(Day(19783)), "2024-03-01T00:00:00.000000Z");
  EXPECT_EQ(FormatTime(Day(11016)), "2000-02-29T00:00:00.000000Z");
  // 1900 was no leap year.
  EXPECT_EQ(FormatTime(Day(-25508)), "1900-03-01T00:00:00.000000Z");
  EXPECT_EQ(FormatTime(Day(-25508) - hours(1)), "1900-02-28T23:00:00.000000Z");
}

TEST(FormatTime, KnowsTheTimeBefore1970) {
  EXPECT_EQ(FormatTime(WallTime(microseconds(-1))), "1969-12-31T23:59:59.999999Z");
  EXPECT_EQ(FormatTime(WallTime(microseconds(-1'000'000))), "1969-12-31T23:59:59.000000Z");
  EXPECT_EQ(FormatTime(WallTime(microseconds(-1'500'000))), "1969-12-31T23:59:58.500000Z");
}

TEST(FormatTime, HasFourDigitsOfTheYear) {
  EXPECT_EQ(FormatTime(Day(-719162)), "0001-01-01T00:00:00.000000Z");
  EXPECT_EQ(FormatTime(Day(2932896)), "9999-12-31T00:00:00.000000Z");
}

TEST(FormatTime, SortsLikeTime) {
  WallTime time = Day(-30000);
  std::string previous = FormatTime(time);
  for (int i = 0; i < 2000; ++i) {
    time += hours(24 * 37) + microseconds(123'457);
    const std::string text = FormatTime(time);
    ASSERT_LT(previous, text);
    previous = text;
  }
}

TEST(SystemClock, MonotonicNeverGoesBack) {
  const SystemClock clock;
  MonotonicTime last = clock.Monotonic();
  for (int i = 0; i < 1000; ++i) {
    const MonotonicTime now = clock.Monotonic();
    ASSERT_GE(now, last);
    last = now;
  }
}

TEST(SystemClock, IsAboutNow) {
  const SystemClock clock;
  const WallTime now = clock.Now();
  EXPECT_GT(now, Day(20000));  // 2024-10-04: before this was written
  EXPECT_LE(now, std::chrono::system_clock::now());
}

TEST(FakeClock, GoesWhereTheTestSendsIt) {
  FakeClock clock;
  EXPECT_EQ(FormatTime(clock.Now()), "2026-01-31T08:05:00.000000Z");
  const MonotonicTime start = clock.Monotonic();
  clock.Advance(seconds(5));
  EXPECT_EQ(FormatTime(clock.Now()), "2026-01-31T08:05:05.000000Z");
  EXPECT_EQ(clock.Monotonic() - start, seconds(5));
  clock.SetNow(Day(0));
  EXPECT_EQ(clock.Now(), Day(0));
  EXPECT_EQ(clock.Monotonic() - start, seconds(5));
}

}  // namespace
}  // namespace reckon::base
