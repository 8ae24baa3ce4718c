#include "base/units.h"

#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace reckon::base {
namespace {

TEST(ParseDurationS, ReadsWhatPeopleWrite) {
  const std::vector<std::pair<const char*, double>> cases{
      {"90", 90},      {"90s", 90},       {"1.5h", 5400},       {"30m", 1800},
      {"30min", 1800}, {"250ms", 0.25},   {"2d", 172800},       {"1w", 604800},
      {"1h30m", 5400}, {"1h 30m", 5400},  {"1 h 30 min", 5400}, {" 5s ", 5},
      {"0", 0},        {"500us", 500e-6}, {"1m30s", 90},        {"1d2h3m4s", 93784}};
  for (const auto& [text, seconds] : cases) {
    const Result<double> parsed = ParseDurationS(text);
    ASSERT_TRUE(parsed.ok()) << text;
    EXPECT_DOUBLE_EQ(*parsed, seconds) << text;
  }
}

TEST(ParseDurationS, RefusesEverythingElse) {
  const std::string huge(307, '9');
  for (const std::string& text :
       {std::string(), std::string(" "), std::string("-5"), std::string("h"), std::string("5x"),
        std::string("1e3s"), std::string("1..5h"), std::string("5 5"), std::string("1h30"),
        std::string("30 1h"), std::string("nan"), std::string("inf"), std::string("s5"),
        std::string("1,5h"), std::string("5S"), huge + "w"}) {
    const Result<double> parsed = ParseDurationS(text);
    ASSERT_FALSE(parsed.ok()) << "'" << text << "' is " << *parsed;
    EXPECT_EQ(parsed.error().code(), ErrorCode::kBadInput);
  }
  EXPECT_EQ(ParseDurationS("soon").error().message(),
            "'soon' is not a duration; expected e.g. 90s, 30m, 1.5h or 1h30m");
}

TEST(FormatDuration, IsShort) {
  const std::vector<std::pair<double, const char*>> cases{{0, "0 s"},
                                                          {-0.0, "0 s"},
                                                          {0.00042, "420 us"},
                                                          {0.25, "250 ms"},
                                                          {12.3, "12.3 s"},
                                                          {119.94, "119.9 s"},
                                                          {120, "2 min 0 s"},
                                                          {3599.6, "1 h 0 min"},
                                                          {5025, "1 h 23 min"},
                                                          {200000, "2 d 7 h"},
                                                          {-90, "-90 s"},
                                                          {1, "1 s"},
                                                          {172799, "47 h 59 min"},
                                                          {172800, "2 d 0 h"}};
  for (const auto& [seconds, text] : cases) EXPECT_EQ(FormatDuration(seconds), text) << seconds;
  EXPECT_EQ(FormatDuration(std::nan("")), "unknown");
  EXPECT_EQ(FormatDuration(std::numeric_limits<double>::infinity()), "unknown");
  EXPECT_NE(FormatDuration(1e300), "");  // no overflow
}

TEST(ParseBytes, ReadsDecimalAndBinaryUnits) {
  const std::vector<std::pair<const char*, uint64_t>> cases{{"512", 512},
                                                            {"0", 0},
                                                            {"56KB", 56000},
                                                            {"56kB", 56000},
                                                            {"1KiB", 1024},
                                                            {"1.5GiB", 1610612736},
                                                            {"2 MB", 2000000},
                                                            {"3TB", 3000000000000},
                                                            {"1TiB", 1099511627776},
                                                            {"7B", 7},
                                                            {" 5 ", 5}};
  for (const auto& [text, bytes] : cases) {
    const Result<uint64_t> parsed = ParseBytes(text);
    ASSERT_TRUE(parsed.ok()) << text;
    EXPECT_EQ(*parsed, bytes) << text;
  }
}

TEST(ParseBytes, RefusesEverythingElse) {
  for (const char* text : {"", "-1", "KB", "1XB", "1KB2", "1e3", "99999999999999999999TB",
                           "18446744073709551616", "1.2.3", "nan", "1 2"}) {
    const Result<uint64_t> parsed = ParseBytes(text);
    ASSERT_FALSE(parsed.ok()) << text;
    EXPECT_EQ(parsed.error().code(), ErrorCode::kBadInput);
  }
}

TEST(FormatBytes, HasThreeDigits) {
  const std::vector<std::pair<uint64_t, const char*>> cases{{0, "0 B"},
                                                            {999, "999 B"},
                                                            {1000, "1 KB"},
                                                            {1234, "1.23 KB"},
                                                            {999499, "999 KB"},
                                                            {999500, "1 MB"},
                                                            {56000000, "56 MB"},
                                                            {1500000000, "1.5 GB"},
                                                            {2000000000000, "2 TB"},
                                                            {999000000000000, "999 TB"}};
  for (const auto& [bytes, text] : cases) EXPECT_EQ(FormatBytes(bytes), text) << bytes;
  EXPECT_EQ(FormatBytes(5'000'000'000'000'000), "5 PB");
  EXPECT_EQ(FormatBytes(std::numeric_limits<uint64_t>::max()), "18.4 EB");
}

TEST(FormatNumber, KeepsFourDigitsAndNoNeedlessZeros) {
  const std::vector<std::pair<double, const char*>> cases{{0, "0"},
                                                          {-0.0, "0"},
                                                          {1, "1"},
                                                          {1.5, "1.5"},
                                                          {0.1, "0.1"},
                                                          {2.0 / 3, "0.6667"},
                                                          {-12.3456, "-12.35"},
                                                          {999.96, "1000"},
                                                          {1234.56, "1235"},
                                                          {123456.7, "123457"},
                                                          {9999999, "9999999"},
                                                          {1e7, "1e+07"},
                                                          {12345678, "1.235e+07"},
                                                          {1e-4, "0.0001"},
                                                          {0.00012345, "0.0001234"},
                                                          {1e-5, "1e-05"},
                                                          {1.5e-5, "1.5e-05"},
                                                          {-2.5e12, "-2.5e+12"},
                                                          {1e300, "1e+300"}};
  for (const auto& [value, text] : cases) EXPECT_EQ(FormatNumber(value), text) << value;
  EXPECT_EQ(FormatNumber(std::nan("")), "nan");
  EXPECT_EQ(FormatNumber(std::numeric_limits<double>::infinity()), "inf");
  EXPECT_EQ(FormatNumber(-std::numeric_limits<double>::infinity()), "-inf");
}

}  // namespace
}  // namespace reckon::base
