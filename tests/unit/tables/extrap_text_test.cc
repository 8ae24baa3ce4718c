#include "tables/adapters/extrap_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tables/adapters/extrap_points.h"
#include "tests/unit/tables/helpers.h"

namespace reckon::tables {
namespace {

using testing::ElementsAre;

core::Table ReadText(std::string text) { return ReadFormat(Format::kExtraP, std::move(text)); }
std::string TextError(std::string text) { return FormatError(Format::kExtraP, std::move(text)); }

TEST(ExtraPText, ReadsOneRowForEachRepetition) {
  const core::Table table = ReadText(
      "# a comment\n"
      "PARAMETER p\n"
      "\n"
      "POINTS 4 8\n"
      "METRIC time\n"
      "REGION main->solve it\n"
      "DATA 1 1.5\n"
      "DATA\t2\n"
      "REGION  io \n"
      "DATA 3\n"
      "  # another\n"
      "DATA 4 5\r\n"
      "METRIC bytes\n"
      "DATA 6\n"
      "DATA 7");
  EXPECT_THAT(table.Names(), ElementsAre("p", "region", "metric", "value"));
  EXPECT_THAT(Cells(table, "p"), ElementsAre("4", "4", "8", "4", "8", "8", "4", "8"));
  EXPECT_THAT(Cells(table, "region"), ElementsAre("main->solve it", "main->solve it",
                                                  "main->solve it", "io", "io", "io", "io", "io"));
  EXPECT_THAT(Cells(table, "metric"),
              ElementsAre("time", "time", "time", "time", "time", "time", "bytes", "bytes"));
  EXPECT_THAT(Cells(table, "value"), ElementsAre("1", "1.5", "2", "3", "4", "5", "6", "7"));
  EXPECT_THAT(table.lines, ElementsAre(7, 7, 8, 10, 12, 12, 14, 15));
  EXPECT_EQ(table.columns[1].kind(), core::ColumnKind::kCategory);
  EXPECT_EQ(table.columns[2].kind(), core::ColumnKind::kCategory);
  EXPECT_EQ(table.row_count, 8U);
}

TEST(ExtraPText, NamesRegionAndMetricItself) {
  const core::Table table = ReadText("PARAMETER p\nPOINTS 1\nDATA 5\n");
  EXPECT_THAT(Cells(table, "region"), ElementsAre("main"));
  EXPECT_THAT(Cells(table, "metric"), ElementsAre("time"));
}

TEST(ExtraPText, GathersParametersAndPoints) {
  const core::Table table = ReadText(
      "PARAMETER p\nPARAMETER q r\nPOINTS (1 2 3) (4 5 6)\nPOINTS ((7) (8) (9))\n"
      "REGION a\nDATA 1\nDATA 2\nDATA 3\n");
  EXPECT_THAT(table.Names(), ElementsAre("p", "q", "r", "region", "metric", "value"));
  EXPECT_THAT(Cells(table, "p"), ElementsAre("1", "4", "7"));
  EXPECT_THAT(Cells(table, "r"), ElementsAre("3", "6", "9"));
}

TEST(ExtraPText, TakesMetricBeforeRegionAndRegionBeforeMetric) {
  const core::Table first =
      ReadText("PARAMETER p\nPOINTS 1\nMETRIC m\nREGION a\nDATA 1\nREGION b\nDATA 2\n");
  EXPECT_THAT(Cells(first, "metric"), ElementsAre("m", "m"));
  const core::Table second =
      ReadText("PARAMETER p\nPOINTS 1\nREGION a\nMETRIC m\nDATA 1\nMETRIC n\nDATA 2\n");
  EXPECT_THAT(Cells(second, "region"), ElementsAre("a", "a"));
  EXPECT_THAT(Cells(second, "metric"), ElementsAre("m", "n"));
}

TEST(ExtraPText, NamesTheLineOfAMistake) {
  EXPECT_EQ(TextError("PARAMETER p\nREGION a\nDATA 1\n"), "runs.csv, line 3: DATA before POINTS");
  EXPECT_EQ(TextError("POINTS 1\n"), "runs.csv, line 1: POINTS before PARAMETER");
  EXPECT_EQ(TextError("PARAMETER p\nPOINTS 1\nDATA 1\nDATA 2\n"),
            "runs.csv, line 4: more DATA lines than points (1)");
  EXPECT_EQ(TextError("PARAMETER p q\nPOINTS (1 2) (3)\n"),
            "runs.csv, line 2: a point has 1 coordinate, expected 2");
  EXPECT_EQ(TextError("PARAMETER p\nPOINTS 1 x\n"), "runs.csv, line 2: 'x' is not a number");
  EXPECT_EQ(TextError("PARAMETER p\nPOINTS 1\nDATA 1 2,5\n"),
            "runs.csv, line 3: '2,5' is not a number");
  EXPECT_EQ(TextError("PARAMETER p\nPOINTS 1\nDATA nan\n"),
            "runs.csv, line 3: 'nan' is not a number");
  EXPECT_EQ(TextError("PARAMETER p\nPIONTS 1\n"),
            "runs.csv, line 2: unknown keyword 'PIONTS'; did you mean 'POINTS'?");
  EXPECT_EQ(TextError("a,b\n1,2\n"),
            "runs.csv, line 1: unknown keyword 'a,b'; known: PARAMETER, POINTS, METRIC, REGION, "
            "DATA");
}

TEST(ExtraPText, WantsOneDataLineForEachPoint) {
  EXPECT_EQ(TextError("PARAMETER p\nPOINTS 1 2 3\nREGION a\nDATA 1\nDATA 2\nREGION b\nDATA 1\n"),
            "runs.csv, line 5: region 'a', metric 'time' ends with 2 DATA lines, expected 3, one "
            "for each point");
  EXPECT_EQ(TextError("PARAMETER p\nPOINTS 1 2\nMETRIC m\nDATA 1\nMETRIC n\nDATA 1\nDATA 2\n"),
            "runs.csv, line 4: region 'main', metric 'm' ends with 1 DATA line, expected 2, one "
            "for each point");
  EXPECT_EQ(TextError("PARAMETER p\nPOINTS 1 2\nREGION a\nDATA 1\n"),
            "runs.csv, line 4: region 'a', metric 'time' ends with 1 DATA line, expected 2, one "
            "for each point");
  EXPECT_EQ(TextError("PARAMETER p\nPOINTS 1\nREGION a\nREGION b\nDATA 1\n"),
            "runs.csv, line 3: region 'a' has no DATA");
  EXPECT_EQ(TextError("PARAMETER p\nPOINTS 1\nDATA 1\nREGION b\n"),
            "runs.csv, line 4: region 'b' has no DATA");
  EXPECT_EQ(TextError("PARAMETER p\nPOINTS 1\n"), "runs.csv has no measurements");
  EXPECT_EQ(TextError(" \n\n"), "runs.csv is empty");
}

TEST(ExtraPText, WantsSomethingBehindEachKeyword) {
  EXPECT_EQ(TextError("PARAMETER\n"), "runs.csv, line 1: PARAMETER without a name");
  EXPECT_EQ(TextError("PARAMETER p\nPOINTS \n"), "runs.csv, line 2: POINTS without points");
  EXPECT_EQ(TextError("METRIC\n"), "runs.csv, line 1: METRIC without a name");
  EXPECT_EQ(TextError("REGION \n"), "runs.csv, line 1: REGION without a name");
  EXPECT_EQ(TextError("PARAMETER p\nPOINTS 1\nDATA\n"), "runs.csv, line 3: DATA without numbers");
}

TEST(ExtraPText, ChecksParameters) {
  EXPECT_EQ(TextError("PARAMETER p\nPARAMETER q p\n"),
            "runs.csv, line 2: two parameters are named 'p'");
  EXPECT_EQ(TextError("PARAMETER value\n"),
            "runs.csv, line 1: a parameter cannot be named 'value'");
  EXPECT_EQ(TextError("PARAMETER p\nPOINTS 1\nPARAMETER q\n"),
            "runs.csv, line 3: PARAMETER behind POINTS, which lack its coordinates");
}

std::vector<Point> Points(std::string_view text, size_t parameters) {
  const auto points = ParsePoints(text, parameters);
  if (!points.ok()) {
    ADD_FAILURE() << text << ": " << points.error().Describe();
    return {};
  }
  return *points;
}

TEST(ParsePoints, ReadsEveryWayToWriteThem) {
  const std::vector<Point> two{{1, 2}, {3, 4}};
  EXPECT_EQ(Points("(1 2) (3 4)", 2), two);
  EXPECT_EQ(Points("( 1 2 )(3 4 )", 2), two);
  EXPECT_EQ(Points("((1) (2)) ((3) (4))", 2), two);
  EXPECT_EQ(Points("((1 2) (3 4))", 2), two);
  EXPECT_EQ(Points("(((1) (2)) ((3)(4)))", 2), two);
  EXPECT_EQ(Points("(1 (2)) ((3) 4)", 2), two);
  const std::vector<Point> one{{1}, {2.5}};
  EXPECT_EQ(Points("1 2.5", 1), one);
  EXPECT_EQ(Points("(1) (2.5)", 1), one);
  EXPECT_EQ(Points("((1) (2.5))", 1), one);
  EXPECT_EQ(Points("((1)) ((2.5))", 1), one);
}

TEST(ParsePoints, SaysWhatIsWrong) {
  const auto error = [](std::string_view text, size_t parameters) {
    const auto points = ParsePoints(text, parameters);
    return points.ok() ? "" : points.error().Describe();
  };
  EXPECT_EQ(error("(1 2", 2), "a bracket is never closed");
  EXPECT_EQ(error("(1 2))", 2), "a bracket closes that was never opened");
  EXPECT_EQ(error("(1 2 3)", 2), "a point has 3 coordinates, expected 2");
  EXPECT_EQ(error("1 2", 2), "a point has 1 coordinate, expected 2");
  EXPECT_EQ(error("((1) (2) (3))", 2), "a point has 1 coordinate, expected 2");
  EXPECT_EQ(error("()", 1), "a point has 0 coordinates, expected 1");
  EXPECT_EQ(error("(1 x)", 2), "'x' is not a number");
  EXPECT_EQ(error("(((((1)))))", 1), "brackets are nested too deep");
  EXPECT_EQ(error(std::string(100000, '('), 1), "brackets are nested too deep");
  EXPECT_EQ(error("  ", 1), "POINTS without points");
}

}  // namespace
}  // namespace reckon::tables
