#include "base/json.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "base/rng.h"

namespace reckon::base {
namespace {

using testing::HasSubstr;

std::string ProblemOf(std::string_view text) {
  const Result<Json> parsed = ParseJson(text, "model.json");
  if (parsed.ok()) return "";
  EXPECT_EQ(parsed.error().code(), ErrorCode::kCorrupt);
  return parsed.error().message();
}

TEST(ParseJson, SaysLineAndColumn) {
  EXPECT_THAT(ProblemOf("{\"a\": 1,\n \"b\": x}"), HasSubstr("model.json, line 2, column 7:"));
  EXPECT_THAT(ProblemOf("x"), HasSubstr("line 1, column 1:"));
  EXPECT_THAT(ProblemOf(""), HasSubstr("line 1, column 1:"));
  EXPECT_THAT(ProblemOf("{\n\n  \"a\": [1, 2,,]\n}"), HasSubstr("line 3, column 14:"));
  EXPECT_THAT(ProblemOf("[1] x"), HasSubstr("line 1, column 5:"));
  EXPECT_THAT(ProblemOf("[1,\n2"), HasSubstr("line 2, column 2:"));  // cut off
}

TEST(ParseJson, RefusesWhatIsNoJson) {
  for (const char* text : {"{'a': 1}", "[1,]", "nan", "NaN", "[01]", "\"\xff\"", "{\"a\"}", "[1",
                           "+1", "// comment\n1", "1e999"}) {
    EXPECT_NE(ProblemOf(text), "") << text;
  }
}

std::string Nested(int depth, char open, char close) {
  return std::string(static_cast<size_t>(depth), open) +
         std::string(static_cast<size_t>(depth), close);
}

TEST(ParseJson, LimitsNesting) {
  EXPECT_EQ(ProblemOf(Nested(256, '[', ']')), "");
  std::string filled = Nested(256, '[', ']');
  EXPECT_EQ(ProblemOf(filled.insert(256, "1")), "");
  EXPECT_THAT(ProblemOf(Nested(257, '[', ']')), HasSubstr("nested deeper than 256 levels"));
  EXPECT_THAT(ProblemOf(Nested(100000, '[', ']')), HasSubstr("nested deeper"));
  std::string objects;
  for (int i = 0; i < 300; ++i) objects += "{\"a\":";
  objects += "1" + std::string(300, '}');
  EXPECT_THAT(ProblemOf(objects), HasSubstr("nested deeper"));
  EXPECT_NE(ProblemOf(std::string(1000000, '[')), "");
}

TEST(ParseJson, CountsDepthNotBrackets) {
  std::string wide = "[";
  for (int i = 0; i < 1000; ++i) wide += "[],";
  EXPECT_EQ(ProblemOf(wide + "1]"), "");
}

TEST(ParseJson, KeepsTheOrderOfKeys) {
  const Result<Json> parsed = ParseJson(R"({"z":1,"a":2,"m":{"y":1,"b":2}})", "x");
  ASSERT_TRUE(parsed.ok());
  EXPECT_EQ(DumpJsonLine(*parsed), R"({"z":1,"a":2,"m":{"y":1,"b":2}})");
}

TEST(DumpJson, IndentsAndEndsWithANewline) {
  Json value;
  value["b"] = 1;
  value["a"] = {1, 2};
  EXPECT_EQ(DumpJson(value), "{\n  \"b\": 1,\n  \"a\": [1,2]\n}\n");
}

TEST(DumpJson, RoundTripsEveryDouble) {
  Rng rng(6);
  for (int i = 0; i < 10000; ++i) {
    const double number = std::bit_cast<double>(rng.NextBits());
    if (!std::isfinite(number)) continue;
    const Result<Json> parsed = ParseJson(DumpJsonLine(Json(number)), "x");
    ASSERT_TRUE(parsed.ok());
    ASSERT_EQ(std::bit_cast<uint64_t>(parsed->get<double>()), std::bit_cast<uint64_t>(number))
        << number;
  }
}

TEST(DumpJson, ReplacesWhatIsNoUtf8) {
  EXPECT_EQ(DumpJsonLine(Json("a\xff"
                              "b")),
            "\"a\uFFFDb\"");
  EXPECT_EQ(DumpJson(Json("\xc3")), "\"\uFFFD\"\n");
  EXPECT_EQ(DumpJsonLine(Json("größe")), "\"größe\"");
}

TEST(DumpJson, WritesNanAsNull) { EXPECT_EQ(DumpJsonLine(Json(std::nan(""))), "null"); }

}  // namespace
}  // namespace reckon::base
