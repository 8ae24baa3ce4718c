#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tables/column_fill.h"
#include "tables/column_scan.h"

namespace reckon::tables {
namespace {

using core::ColumnKind;
using testing::ElementsAre;
using Width = core::NumberVector::Width;
using Wish = ColumnScan::Wish;

// A cell with what may stand behind it in a file. Kept for the whole test.
std::string_view Cell(std::string_view text) {
  static std::vector<std::unique_ptr<std::string>> kept;
  kept.push_back(std::make_unique<std::string>(std::string(text) + std::string(kCellPadding, '3')));
  return std::string_view(*kept.back()).substr(0, text.size());
}

ColumnScan Scan(const std::vector<std::string>& cells, Wish wish = Wish::kEither) {
  ColumnScan scan(wish);
  uint64_t line = 2;
  for (const std::string& cell : cells) scan.Add(Cell(cell), line++);
  return scan;
}

TEST(ColumnScan, FindsTheNarrowestStorage) {
  EXPECT_EQ(Scan({}).width(), Width::kInt16);
  EXPECT_EQ(Scan({"", "NA"}).width(), Width::kInt16);
  EXPECT_EQ(Scan({"1", "-32767", "32767", ""}).width(), Width::kInt16);
  EXPECT_EQ(Scan({"1", "32768", "1"}).width(), Width::kInt32);
  EXPECT_EQ(Scan({"-32768"}).width(), Width::kInt32);
  EXPECT_EQ(Scan({"2147483647", "-2147483647"}).width(), Width::kInt32);
  EXPECT_EQ(Scan({"-2147483648"}).width(), Width::kDouble);
  EXPECT_EQ(Scan({"2147483648", "1"}).width(), Width::kDouble);
  EXPECT_EQ(Scan({"1.5", "1"}).width(), Width::kDouble);
  EXPECT_EQ(Scan({"8.0", " 1e3 ", "+5"}).width(), Width::kInt16);
  EXPECT_EQ(Scan({"-0"}).width(), Width::kDouble);
}

TEST(ColumnScan, TellsNumbersFromCategories) {
  EXPECT_EQ(Scan({"1", "", "2.5"}).kind(), ColumnKind::kNumber);
  EXPECT_EQ(Scan({}).kind(), ColumnKind::kNumber);
  EXPECT_EQ(Scan({"1", "x", "2"}).kind(), ColumnKind::kCategory);
  EXPECT_EQ(Scan({"1"}, Wish::kCategory).kind(), ColumnKind::kCategory);
  EXPECT_EQ(Scan({"x"}, Wish::kNumber).kind(), ColumnKind::kNumber);
}

TEST(ColumnScan, RemembersTheFirstOffence) {
  EXPECT_FALSE(Scan({"1", "2"}).offence());
  EXPECT_FALSE(Scan({"nan", "x"}).offence());
  EXPECT_FALSE(Scan({"x", "nan"}).offence());
  EXPECT_FALSE(Scan({"nan"}, Wish::kCategory).offence());
  const ColumnScan scan = Scan({"1", "1e999", "nan"});
  ASSERT_TRUE(scan.offence());
  EXPECT_EQ(scan.offence()->kind, CellKind::kOutOfRange);
  EXPECT_EQ(scan.offence()->line, 3U);
  EXPECT_EQ(scan.offence()->cell, "1e999");
  EXPECT_EQ(Scan({"1", "x", "nan"}, Wish::kNumber).offence()->kind, CellKind::kText);
}

TEST(ColumnFill, FillsNumbersOfEveryWidth) {
  for (const Width width : {Width::kInt16, Width::kInt32, Width::kDouble}) {
    ColumnFill fill(ColumnKind::kNumber, width, 5);
    EXPECT_TRUE(fill.Set(0, Cell("5")));
    EXPECT_TRUE(fill.Set(1, Cell(" -7.0 ")));
    EXPECT_TRUE(fill.Set(2, Cell("NA")));
    EXPECT_TRUE(fill.Set(3, Cell("+12")));
    EXPECT_TRUE(fill.Set(4, Cell("1e2")));
    const core::Column column = std::move(fill).Finish("a");
    EXPECT_EQ(column.name(), "a");
    EXPECT_EQ(column.Text(0), "5");
    EXPECT_EQ(column.Text(1), "-7");
    EXPECT_EQ(column.Text(2), "");
    EXPECT_EQ(column.Text(3), "12");
    EXPECT_EQ(column.Text(4), "100");
  }
}

TEST(ColumnFill, RefusesWhatTheFirstPassCannotHaveSeen) {
  ColumnFill narrow(ColumnKind::kNumber, Width::kInt16, 1);
  for (const char* cell : {"32768", "-32768", "1.5", "1e9", "x", "nan", "1e999"}) {
    EXPECT_FALSE(narrow.Set(0, Cell(cell))) << cell;
  }
  ColumnFill wide(ColumnKind::kNumber, Width::kInt32, 1);
  EXPECT_TRUE(wide.Set(0, Cell("32768")));
  EXPECT_FALSE(wide.Set(0, Cell("2147483648")));
  ColumnFill widest(ColumnKind::kNumber, Width::kDouble, 1);
  EXPECT_TRUE(widest.Set(0, Cell("1e300")));
  EXPECT_FALSE(widest.Set(0, Cell("inf")));
}

TEST(ColumnFill, WidensTheCodesOfCategories) {
  constexpr size_t kRows = 40000;
  ColumnFill fill(ColumnKind::kCategory, Width::kInt16, kRows + 1);
  const std::string padding(kCellPadding, 'x');
  for (size_t row = 0; row < kRows; ++row) {
    const std::string cell = std::to_string(row) + padding;
    ASSERT_TRUE(fill.Set(row, std::string_view(cell).substr(0, cell.size() - kCellPadding)));
  }
  const core::Column column = std::move(fill).Finish("a");
  ASSERT_EQ(column.levels().size(), kRows);
  for (size_t row = 0; row < kRows; ++row) ASSERT_EQ(column.Text(row), std::to_string(row));
  EXPECT_EQ(column.Text(kRows), "");
}

}  // namespace
}  // namespace reckon::tables
