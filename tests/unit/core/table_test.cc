#include "core/table.h"

#include <cmath>
#include <limits>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace reckon::core {
namespace {

using testing::ElementsAre;
using Width = NumberVector::Width;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

TEST(NumberVector, WidthForKnowsTheBoundaries) {
  const std::vector<std::pair<double, Width>> cases{
      {0, Width::kInt16},
      {-0.0, Width::kDouble},  // an integer has no sign of zero
      {1.5, Width::kDouble},
      {32767, Width::kInt16},
      {32768, Width::kInt32},
      {-32767, Width::kInt16},
      {-32768, Width::kInt32},  // marks a missing number in 16 bits
      {2147483647.0, Width::kInt32},
      {2147483648.0, Width::kDouble},
      {-2147483647.0, Width::kInt32},
      {-2147483648.0, Width::kDouble},
      {kNan, Width::kInt16},
      {kInf, Width::kDouble},
      {-kInf, Width::kDouble},
      {1e300, Width::kDouble},
      {5e-324, Width::kDouble}};
  for (const auto& [number, width] : cases)
    EXPECT_EQ(NumberVector::WidthFor(number), width) << number;
}

bool SameNumber(double a, double b) {
  if (std::isnan(a)) return std::isnan(b);
  return a == b && std::signbit(a) == std::signbit(b);
}

TEST(NumberVector, OfReadsBackExactlyInTheNarrowestWidth) {
  const std::vector<std::pair<std::vector<double>, Width>> cases{
      {{}, Width::kInt16},
      {{1, 2, kNan, -32767, 32767}, Width::kInt16},
      {{kNan, kNan}, Width::kInt16},
      {{1, -32768}, Width::kInt32},
      {{1, kNan, 2147483647.0, -2147483647.0}, Width::kInt32},
      {{32768, 0.5, kNan}, Width::kDouble},
      {{-0.0, 0}, Width::kDouble},
      {{-2147483648.0, kInf, -kInf, 5e-324}, Width::kDouble}};
  for (const auto& [numbers, width] : cases) {
    const NumberVector vector = NumberVector::Of(numbers);
    EXPECT_EQ(vector.width(), width);
    ASSERT_EQ(vector.size(), numbers.size());
    for (size_t i = 0; i < numbers.size(); ++i) {
      EXPECT_TRUE(SameNumber(vector[i], numbers[i])) << numbers[i] << " became " << vector[i];
    }
  }
}

TEST(NumberVector, BeginsMissing) {
  for (const Width width : {Width::kInt16, Width::kInt32, Width::kDouble}) {
    const NumberVector vector(width, 3);
    EXPECT_EQ(vector.width(), width);
    for (size_t i = 0; i < 3; ++i) EXPECT_TRUE(std::isnan(vector[i]));
  }
  EXPECT_EQ(NumberVector().size(), 0U);
}

TEST(NumberVector, SetChangesOneCellAndTakesItBack) {
  NumberVector vector(Width::kInt32, 2);
  vector.Set(0, -70000);
  EXPECT_EQ(vector[0], -70000);
  EXPECT_TRUE(std::isnan(vector[1]));
  vector.Set(0, kNan);
  EXPECT_TRUE(std::isnan(vector[0]));
}

TEST(NumberVectorDeathTest, RefusesWhatDoesNotFit) {
  NumberVector narrow(Width::kInt16, 1);
  EXPECT_DEATH(narrow.Set(0, 32768), "check failed");
  EXPECT_DEATH(narrow.Set(0, -32768), "check failed");
  EXPECT_DEATH(narrow.Set(0, 0.5), "check failed");
  EXPECT_DEATH(narrow.Set(0, -0.0), "check failed");
  EXPECT_DEATH(narrow.Set(0, kInf), "check failed");
  NumberVector wide(Width::kInt32, 1);
  EXPECT_DEATH(wide.Set(0, 2147483648.0), "check failed");
}

Table Measurements() {
  Table table;
  table.source = "runs.csv";
  table.row_count = 3;
  table.columns.push_back(Column::Numbers("workers", NumberVector::Of({4, kNan, 16})));
  table.columns.push_back(Column::Numbers("time", NumberVector::Of({0.1, 12.5, 1e-7})));
  table.columns.push_back(
      Column::Categories("machine", {"m5.large", "p3"}, NumberVector::Of({1, 0, kNan})));
  return table;
}

TEST(Column, TextIsWhatAFileWouldSay) {
  const Table table = Measurements();
  EXPECT_EQ(table.columns[0].Text(0), "4");
  EXPECT_EQ(table.columns[0].Text(1), "");
  EXPECT_EQ(table.columns[1].Text(0), "0.1");
  EXPECT_EQ(table.columns[1].Text(2), "1e-07");
  EXPECT_EQ(table.columns[2].Text(0), "p3");
  EXPECT_EQ(table.columns[2].Text(1), "m5.large");
  EXPECT_EQ(table.columns[2].Text(2), "");
}

TEST(Column, KnowsItsKind) {
  const Table table = Measurements();
  EXPECT_EQ(table.columns[0].kind(), ColumnKind::kNumber);
  EXPECT_EQ(table.columns[2].kind(), ColumnKind::kCategory);
  EXPECT_TRUE(table.columns[0].levels().empty());
  EXPECT_THAT(table.columns[2].levels(), ElementsAre("m5.large", "p3"));
  EXPECT_EQ(table.columns[2][0], 1);
  EXPECT_STREQ(ColumnKindName(ColumnKind::kNumber), "number");
  EXPECT_STREQ(ColumnKindName(ColumnKind::kCategory), "category");
}

TEST(Table, FindsColumnsByExactName) {
  const Table table = Measurements();
  EXPECT_EQ(table.Find("workers"), 0U);
  EXPECT_EQ(table.Find("machine"), 2U);
  EXPECT_EQ(table.Find("Workers"), std::nullopt);
  EXPECT_EQ(table.Find(""), std::nullopt);
  EXPECT_THAT(table.Names(), ElementsAre("workers", "time", "machine"));
}

TEST(Table, PlaceNamesTheLineOrTheRow) {
  Table table = Measurements();
  EXPECT_EQ(table.Place(0), "runs.csv, row 1");
  table.lines = {2, 3, 7};
  EXPECT_EQ(table.Place(0), "runs.csv, line 2");
  EXPECT_EQ(table.Place(2), "runs.csv, line 7");
}

}  // namespace
}  // namespace reckon::core
