#include "tables/cell.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "base/rng.h"
#include "tables/decimal.h"
#include "tables/level_index.h"

namespace reckon::tables {
namespace {

// A cell with what may stand behind it in a file.
class Padded {
 public:
  explicit Padded(std::string_view cell, char behind = '7')
      : size_(cell.size()), text_(std::string(cell) + std::string(kCellPadding, behind)) {}
  std::string_view view() const { return std::string_view(text_).substr(0, size_); }

 private:
  size_t size_;
  std::string text_;
};

CellKind Kind(std::string_view cell) { return ClassifyCell(Padded(cell).view()); }

// Cells of every length and kind that come near a number.
std::string RandomCell(base::Rng& rng) {
  const auto digits = [&](size_t count) {
    std::string text;
    for (size_t i = 0; i < count; ++i) text += static_cast<char>('0' + rng.Below(10));
    return text;
  };
  switch (rng.Below(4)) {
    case 0:
      return base::RoundTrip(rng.Normal() * std::pow(10.0, static_cast<double>(rng.Below(12)) - 6));
    case 1:
      return (rng.Below(2) == 0 ? "-" : "") + digits(rng.Below(13)) +
             (rng.Below(4) == 0 ? "" : ".") + digits(rng.Below(13));
    case 2: {
      const std::string_view alphabet = "0123456789.-+eE/:";
      std::string text;
      const size_t length = rng.Below(7);
      for (size_t i = 0; i < length; ++i) text += alphabet[rng.Below(alphabet.size())];
      return text;
    }
    default: {
      std::string text = std::to_string(rng.NextBits() >> rng.Below(12));
      return text.insert(rng.Below(text.size()), ".");
    }
  }
}

TEST(ParseDecimal, AgreesWithTheStandardLibraryToTheLastBit) {
  base::Rng rng(3);
  size_t numbers = 0;
  for (int round = 0; round < 300000; ++round) {
    const std::string text = RandomCell(rng);
    const Padded cell(text, static_cast<char>('.' + rng.Below(14)));
    const double fast = ParseDecimal(cell.view());
    const auto plain = base::ParseNumber(text);
    ASSERT_EQ(!std::isnan(fast), plain.has_value()) << text;
    ASSERT_EQ(ClassifyCell(cell.view()) == CellKind::kNumber, plain.has_value()) << text;
    if (!plain) continue;
    ++numbers;
    ASSERT_EQ(fast, *plain) << text;
    ASSERT_EQ(std::signbit(fast), std::signbit(*plain)) << text;
  }
  EXPECT_GT(numbers, 100000U);
}

TEST(ParseDecimal, RoundsHalfwayCasesToEven) {
  // 2^53 + 1 and its neighbours lie between two doubles.
  EXPECT_EQ(ParseDecimal(Padded("9007199254740993").view()), 9007199254740992.0);
  EXPECT_EQ(ParseDecimal(Padded("9007199254740995").view()), 9007199254740996.0);
  EXPECT_EQ(ParseDecimal(Padded("900719925474099.3").view()), 900719925474099.25);
  EXPECT_EQ(ParseDecimal(Padded("9007199254740993.5").view()), 9007199254740994.0);
  EXPECT_EQ(ParseDecimal(Padded("9007199254740992.5").view()), 9007199254740992.0);
}

TEST(ParseSmallWhole, ReadsWholeNumbersOfUpToEightDigits) {
  const auto parse = [](std::string_view text) { return ParseSmallWhole(Padded(text).view()); };
  EXPECT_EQ(parse("0"), 0);
  EXPECT_EQ(parse("7"), 7);
  EXPECT_EQ(parse("-7"), -7);
  EXPECT_EQ(parse("007"), 7);
  EXPECT_EQ(parse("12345678"), 12345678);
  EXPECT_EQ(parse("-99999999"), -99999999);
  for (const char* other : {"", "-", "-0", "-00", "123456789", "1.0", "1e3", "x", "1x", "+", ":",
                            "/", "12:", " 1", "1 ", "--1", "+5"}) {
    EXPECT_EQ(parse(other), std::nullopt) << other;
  }
  for (int byte = 0; byte < 256; ++byte) {
    const char c = static_cast<char>(byte);
    const bool digit = c >= '0' && c <= '9';
    EXPECT_EQ(parse(std::string("12") + c + "4").has_value(), digit) << byte;
    EXPECT_EQ(parse(std::string(1, c)).has_value(), digit) << byte;
  }
}

TEST(WidthForWhole, IsThatOfNumberVector) {
  for (const int32_t value : {0, 1, -1, 32767, -32767, 32768, -32768, 99999999, -99999999}) {
    EXPECT_EQ(WidthForWhole(value), core::NumberVector::WidthFor(value)) << value;
  }
}

TEST(ClassifyCell, TellsKindsApart) {
  for (const char* cell : {"", "NA", "N/A", "null", "NULL", "None"}) {
    EXPECT_EQ(Kind(cell), CellKind::kMissing) << cell;
  }
  for (const char* cell : {"0", "-1.5", "+7", "1e3", "1E-3", ".5", "5.", "123456789012345678901234",
                           "0.000000000000000000000000000001"}) {
    EXPECT_EQ(Kind(cell), CellKind::kNumber) << cell;
  }
  for (const char* cell : {"nan", "NaN", "inf", "-INF", "+infinity"}) {
    EXPECT_EQ(Kind(cell), CellKind::kNonFinite) << cell;
  }
  for (const char* cell : {"1e999", "-1e999", "1e-999"}) {
    EXPECT_EQ(Kind(cell), CellKind::kOutOfRange) << cell;
  }
  EXPECT_EQ(Kind(std::string(400, '9')), CellKind::kOutOfRange);
  EXPECT_EQ(Kind(std::string(200, '9')), CellKind::kNumber);
  for (const char* cell : {"na", "Null", "none", "abc", "1,5", "1 2", "0x10", "-", ".", "1e", "e5",
                           "1.2.3", "--1", "+-1", "1-", "nano", "infinit"}) {
    EXPECT_EQ(Kind(cell), CellKind::kText) << cell;
  }
}

TEST(TrimCell, TakesBlanksOff) {
  EXPECT_EQ(TrimCell(" 5\t"), "5");
  EXPECT_EQ(TrimCell("5"), "5");
  EXPECT_EQ(TrimCell("a b"), "a b");
  EXPECT_EQ(TrimCell("  "), "");
  EXPECT_EQ(TrimCell("\xC3\xA4"), "\xC3\xA4");
}

TEST(ShownCell, KeepsMessagesShortAndOnOneLine) {
  EXPECT_EQ(ShownCell("a\nb\tc"), "a b c");
  EXPECT_EQ(ShownCell(std::string(40, 'x')), std::string(40, 'x'));
  EXPECT_EQ(ShownCell(std::string(41, 'x')), std::string(40, 'x') + "...");
  EXPECT_EQ(ShownCell(std::string(39, 'x') + "\xC3\xA4yz"), std::string(39, 'x') + "...");
}

TEST(LevelIndex, NumbersLevelsByFirstAppearance) {
  LevelIndex index;
  EXPECT_EQ(index.CodeOf("b"), 0U);
  EXPECT_EQ(index.CodeOf("a"), 1U);
  EXPECT_EQ(index.CodeOf("b"), 0U);
  EXPECT_EQ(index.CodeOf(""), 2U);
  EXPECT_EQ(index.CodeOf("a"), 1U);
  EXPECT_EQ(std::move(index).TakeLevels(), (std::vector<std::string>{"b", "a", ""}));
}

TEST(LevelIndex, HoldsVeryManyLevels) {
  LevelIndex index;
  for (uint32_t pass = 0; pass < 2; ++pass) {
    for (uint32_t i = 0; i < 300000; ++i) {
      ASSERT_EQ(index.CodeOf("a long level, beyond short strings " + std::to_string(i)), i);
    }
  }
  EXPECT_EQ(index.size(), 300000U);
}

}  // namespace
}  // namespace reckon::tables
