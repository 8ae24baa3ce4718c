#include "base/text.h"

#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/rng.h"

namespace reckon::base {
namespace {

using testing::ElementsAre;

TEST(Trim, TakesBlanksOffBothEnds) {
  EXPECT_EQ(Trim(" \t a b\r "), "a b");
  EXPECT_EQ(Trim(" \t\r "), "");
  EXPECT_EQ(Trim(""), "");
  EXPECT_EQ(Trim("a"), "a");
}

TEST(ParseNumber, ReadsDecimalNumbers) {
  const std::vector<std::pair<const char*, double>> cases{
      {"0", 0},
      {"7", 7},
      {"+7", 7},
      {"-1.5e3", -1500},
      {"1e5", 1e5},
      {"1E+5", 1e5},
      {".5", 0.5},
      {"-.5", -0.5},
      {"+.5", 0.5},
      {"5.", 5},
      {"007", 7},
      {"1e-300", 1e-300},
      {"5e-324", 5e-324},
      {"0.1", 0.1},
      {"1.7976931348623157e308", std::numeric_limits<double>::max()}};
  for (const auto& [text, value] : cases) {
    ASSERT_TRUE(ParseNumber(text).has_value()) << text;
    EXPECT_EQ(*ParseNumber(text), value) << text;
  }
  EXPECT_TRUE(std::signbit(*ParseNumber("-0")));
}

TEST(ParseNumber, RefusesEverythingElse) {
  for (const char* text :
       {"",    "+",     "-",     ".",   "+.",   "-.",   "1e999",    "-1e999", "0x10", "0x",
        "nan", "NaN",   "-nan",  "inf", "-inf", "+inf", "infinity", "+-1",    "-+1",  "--1",
        "++1", "1_000", "1,000", " 1",  "1 ",   "1 2",  "1e",       "1e+",    "e5",   "1.2.3",
        "1f",  "١",     "1\n",   "\t1", "1e5x", "true", "½"}) {
    EXPECT_FALSE(ParseNumber(text).has_value()) << "'" << text << "'";
  }
  EXPECT_FALSE(ParseNumber(std::string_view("1\0", 2)).has_value());
}

TEST(ParseInteger, ReadsWholeNumbersOfItsRange) {
  EXPECT_EQ(ParseInteger("0"), 0);
  EXPECT_EQ(ParseInteger("+42"), 42);
  EXPECT_EQ(ParseInteger("-42"), -42);
  EXPECT_EQ(ParseInteger("9223372036854775807"), std::numeric_limits<int64_t>::max());
  EXPECT_EQ(ParseInteger("-9223372036854775808"), std::numeric_limits<int64_t>::min());
}

TEST(ParseInteger, RefusesEverythingElse) {
  for (const char* text : {"", "+", "-", "+-5", "-+5", "++5", "1.0", "1e3", "0x10", " 1", "1 ",
                           "9223372036854775808", "-9223372036854775809", "1_000", "abc"}) {
    EXPECT_FALSE(ParseInteger(text).has_value()) << "'" << text << "'";
  }
}

TEST(IsNonFiniteWord, KnowsThemInAnyCase) {
  for (const char* text : {"nan", "NaN", "-nan", "+NAN", "inf", "-Inf", "Infinity", "-INFINITY"}) {
    EXPECT_TRUE(IsNonFiniteWord(text)) << text;
  }
  for (const char* text : {"", "-", "na", "nano", "--inf", "infinite", "info", "1", "n/a"}) {
    EXPECT_FALSE(IsNonFiniteWord(text)) << text;
  }
}

TEST(RoundTrip, IsShortAndExact) {
  EXPECT_EQ(RoundTrip(0.1), "0.1");
  EXPECT_EQ(RoundTrip(3), "3");
  EXPECT_EQ(RoundTrip(1e300), "1e+300");
  Rng rng(1);
  for (int i = 0; i < 10000; ++i) {
    const double value = std::bit_cast<double>(rng.NextBits());
    if (!std::isfinite(value)) continue;
    ASSERT_EQ(ParseNumber(RoundTrip(value)), value) << RoundTrip(value);
  }
}

TEST(Split, GivesOnePartMoreThanSeparators) {
  EXPECT_THAT(Split("a,b,,c", ','), ElementsAre("a", "b", "", "c"));
  EXPECT_THAT(Split("", ','), ElementsAre(""));
  EXPECT_THAT(Split(",", ','), ElementsAre("", ""));
  EXPECT_THAT(Split("abc", ','), ElementsAre("abc"));
}

TEST(Join, IsTheOppositeOfSplit) {
  EXPECT_EQ(Join(std::vector<std::string>{"a", "", "b"}, ", "), "a, , b");
  EXPECT_EQ(Join({}, ", "), "");
}

const std::vector<std::string> kColumns{"workers", "batch_size", "epoch_time", "cpus"};

TEST(NearestWord, FindsASlip) {
  EXPECT_EQ(NearestWord("wrokers", kColumns), "workers");
  EXPECT_EQ(NearestWord("worker", kColumns), "workers");
  EXPECT_EQ(NearestWord("batchsize", kColumns), "batch_size");
  EXPECT_EQ(NearestWord("cpu", kColumns), "cpus");
  EXPECT_EQ(NearestWord("cpus", kColumns), "cpus");
}

TEST(NearestWord, DoesNotGuessWildly) {
  EXPECT_EQ(NearestWord("memory", kColumns), std::nullopt);
  EXPECT_EQ(NearestWord("", kColumns), std::nullopt);
  EXPECT_EQ(NearestWord("workers", {}), std::nullopt);
}

TEST(NearestWord, DoesNotReplaceAWordWholly) {
  const std::vector<std::string> letters{"x", "y"};
  EXPECT_EQ(NearestWord("z", letters), std::nullopt);
  EXPECT_EQ(NearestWord("", letters), std::nullopt);
  EXPECT_EQ(NearestWord("x1", letters), "x");
}

TEST(NearestWord, PrefersTheNearestThenTheFirst) {
  EXPECT_EQ(NearestWord("cores", std::vector<std::string>{"corners", "core", "cored"}), "core");
}

TEST(SuggestFrom, SuggestsListsOrSaysNothing) {
  EXPECT_EQ(SuggestFrom("wrokers", kColumns), "; did you mean 'workers'?");
  EXPECT_EQ(SuggestFrom("memory", kColumns), "; known: workers, batch_size, epoch_time, cpus");
  EXPECT_EQ(SuggestFrom("memory", {}), "");
  std::vector<std::string> many;
  for (int i = 0; i < 11; ++i) many.push_back("column" + std::to_string(i));
  EXPECT_EQ(SuggestFrom("zzz", many),
            "; known: column0, column1, column2, column3, column4, column5, column6, column7 and 3 "
            "more");
}

// The items, those in quotes marked by them.
std::vector<std::string> Items(std::string_view text) {
  std::vector<std::string> items;
  const auto entries = SplitList(text);
  if (!entries) return {"refused"};
  for (const ListEntry& entry : *entries) {
    items.push_back(entry.quoted ? "'" + entry.text + "'" : entry.text);
  }
  return items;
}

TEST(SplitList, TakesCommasAndQuotes) {
  using List = std::vector<std::string>;
  EXPECT_EQ(Items("a, b ,c"), (List{"a", "b", "c"}));
  EXPECT_EQ(Items(""), (List{""}));
  EXPECT_EQ(Items("a,"), (List{"a", ""}));
  EXPECT_EQ(Items("\"\","), (List{"''", ""}));
  EXPECT_EQ(Items("\"size, GB\",b"), (List{"'size, GB'", "b"}));
  EXPECT_EQ(Items(" \"a \"\"x\"\"\" , b"), (List{"'a \"x\"'", "b"}));
  EXPECT_EQ(Items("a\"b"), (List{"a\"b"}));
  EXPECT_EQ(Items("\"open"), (List{"refused"}));
  EXPECT_EQ(Items("\"a\"b"), (List{"refused"}));
  for (const std::string item : {"plain", "a,b", "\"q\"", " blank ", "", "x\"y,z"}) {
    EXPECT_EQ(SplitList("first," + ListItem(item))->at(1).text, item);
  }
}

TEST(SuggestFrom, QuotesWhatAListWouldSplit) {
  const std::vector<std::string> names{"size, GB", "n"};
  EXPECT_EQ(SuggestFrom("memory", names), "; known: \"size, GB\", n");
}

TEST(Count, KnowsOneFromMany) {
  EXPECT_EQ(Count(0, "row"), "0 rows");
  EXPECT_EQ(Count(1, "row"), "1 row");
  EXPECT_EQ(Count(2, "row"), "2 rows");
}

TEST(IsUtf8, TakesCharactersAndNothingElse) {
  EXPECT_TRUE(IsUtf8(""));
  EXPECT_TRUE(IsUtf8("plain \u00E4 \u20AC \U0001F600 \U0010FFFF"));
  EXPECT_FALSE(IsUtf8("gr\xF6\xDF"));
  EXPECT_FALSE(IsUtf8("\x80"));
  EXPECT_FALSE(IsUtf8("\xC3"));              // cut off
  EXPECT_FALSE(IsUtf8("\xC0\xAF"));          // longer than needed
  EXPECT_FALSE(IsUtf8("\xED\xA0\x80"));      // a surrogate
  EXPECT_FALSE(IsUtf8("\xF4\x90\x80\x80"));  // beyond the last character
  EXPECT_FALSE(IsUtf8("\xF8\x88\x80\x80\x80"));
}

TEST(SameSecret, ComparesTheWhole) {
  EXPECT_TRUE(SameSecret("token", "token"));
  for (const char* other : {"", "toke", "tokem", "uoken", "tokens"}) {
    EXPECT_FALSE(SameSecret(other, "token")) << other;
  }
}

}  // namespace
}  // namespace reckon::base
