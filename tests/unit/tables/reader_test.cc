#include "tables/reader.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/tables/helpers.h"

namespace reckon::tables {
namespace {

using core::ColumnKind;
using testing::ElementsAre;

ColumnKind KindOf(const core::Table& table, std::string_view column) {
  return table.columns[*table.Find(column)].kind();
}

TEST(ReadTable, FillsColumnsNamesAndLines) {
  const core::Table table = Read("workers,gpu\n1,v100\n\n2,k80\n");
  EXPECT_EQ(table.source, "runs.csv");
  EXPECT_EQ(table.row_count, 2U);
  EXPECT_THAT(table.lines, ElementsAre(2, 4));
  EXPECT_THAT(table.Names(), ElementsAre("workers", "gpu"));
  EXPECT_EQ(KindOf(table, "workers"), ColumnKind::kNumber);
  EXPECT_EQ(KindOf(table, "gpu"), ColumnKind::kCategory);
  EXPECT_THAT(table.columns[1].levels(), ElementsAre("v100", "k80"));
  EXPECT_THAT(Cells(table, "workers"), ElementsAre("1", "2"));
  EXPECT_EQ(table.Place(1), "runs.csv, line 4");
}

TEST(ReadTable, ChoosesDelimitersByTheHeaderOrByOrder) {
  EXPECT_THAT(Read("a\tb\n1\t2\n").Names(), ElementsAre("a", "b"));
  EXPECT_THAT(Read("a;b\n1;2\n").Names(), ElementsAre("a", "b"));
  ReadOptions options;
  options.delimiter = '|';
  const core::Table table = Read("a,b|c\n1|2\n", options);
  EXPECT_THAT(table.Names(), ElementsAre("a,b", "c"));
  EXPECT_THAT(Cells(table, "c"), ElementsAre("2"));
}

TEST(ReadTable, TrimsNamesAndNumbersButNotCategories) {
  const core::Table table = Read(" a ,\tb\n 1 ,x\n\t-2.5, y \n");
  EXPECT_THAT(table.Names(), ElementsAre("a", "b"));
  EXPECT_THAT(Cells(table, "a"), ElementsAre("1", "-2.5"));
  EXPECT_THAT(table.columns[1].levels(), ElementsAre("x", " y "));
}

TEST(ReadTable, KnowsMissingCells) {
  const core::Table table =
      Read("n,c\n,x\nNA,NA\nN/A, N/A \nnull,null\nNULL,NULL\nNone,None\n\"\",\"\"\n 5 ,y\n");
  EXPECT_EQ(KindOf(table, "n"), ColumnKind::kNumber);
  EXPECT_THAT(Cells(table, "n"), ElementsAre("", "", "", "", "", "", "", "5"));
  EXPECT_THAT(table.columns[1].levels(), ElementsAre("x", "y"));
  EXPECT_THAT(Cells(table, "c"), ElementsAre("x", "", "", "", "", "", "", "y"));
  EXPECT_TRUE(std::isnan(table.columns[0][0]));
}

TEST(ReadTable, TakesAColumnOfMissingCellsForNumbers) {
  const core::Table table = Read("a,b\n,1\nNA,2\n");
  EXPECT_EQ(KindOf(table, "a"), ColumnKind::kNumber);
  EXPECT_THAT(Cells(table, "a"), ElementsAre("", ""));
}

TEST(ReadTable, TakesOneTextCellForACategory) {
  const core::Table table = Read("a\n1\n2\nx\n1\n");
  EXPECT_EQ(KindOf(table, "a"), ColumnKind::kCategory);
  EXPECT_THAT(table.columns[0].levels(), ElementsAre("1", "2", "x"));
  EXPECT_THAT(Cells(table, "a"), ElementsAre("1", "2", "x", "1"));
}

TEST(ReadTable, ReadsEveryWayToWriteANumber) {
  const core::Table table = Read(
      "a\n1\n-1\n+1\n1.5\n.5\n5.\n1e3\n-1.5E-3\n\"7\"\n0."
      "1234567890123456789\n12345678901234567890\n"
      "-0\n");
  EXPECT_THAT(Cells(table, "a"),
              ElementsAre("1", "-1", "1", "1.5", "0.5", "5", "1000", "-0.0015", "7",
                          "0.12345678901234568", "12345678901234567168", "-0"));
}

TEST(ReadTable, KeepsNumbersOfMixedWidths) {
  EXPECT_THAT(Cells(Read("a\n1\n8.0\n1e3\n32768.0\n2.5\n"), "a"),
              ElementsAre("1", "8", "1000", "32768", "2.5"));
  EXPECT_THAT(Cells(Read("a\n-32768\n2147483647\n"), "a"), ElementsAre("-32768", "2147483647"));
  EXPECT_THAT(Cells(Read("a\n2147483648\n-2147483648\n"), "a"),
              ElementsAre("2147483648", "-2147483648"));
}

TEST(ReadTable, TakesNonFiniteWordsInACategoryForText) {
  const core::Table table = Read("a,b\nnan,1\nx,2\ninf,3\n1e999,4\n");
  EXPECT_THAT(table.columns[0].levels(), ElementsAre("nan", "x", "inf", "1e999"));
}

TEST(ReadTable, MakesAColumnACategoryOnRequest) {
  ReadOptions options;
  options.category = {"a"};
  const core::Table table = Read("a,b\n1,1\n01,2\nnan,3\n,4\n1,5\n", options);
  EXPECT_EQ(KindOf(table, "a"), ColumnKind::kCategory);
  EXPECT_EQ(KindOf(table, "b"), ColumnKind::kNumber);
  EXPECT_THAT(table.columns[0].levels(), ElementsAre("1", "01", "nan"));
  EXPECT_THAT(Cells(table, "a"), ElementsAre("1", "01", "nan", "", "1"));
}

TEST(ReadTable, HoldsVeryManyLevels) {
  std::string text = "id\n";
  constexpr size_t kRows = 120000;
  for (size_t i = 0; i < kRows; ++i) text += "run-" + std::to_string(i) + "\n";
  text += "run-7\nrun-40000\n";
  const core::Table table = Read(std::move(text));
  const core::Column& column = table.columns[0];
  ASSERT_EQ(column.levels().size(), kRows);
  for (size_t row = 0; row < kRows; ++row) {
    ASSERT_EQ(column[row], static_cast<double>(row));
    ASSERT_EQ(column.levels()[row], "run-" + std::to_string(row));
  }
  EXPECT_EQ(column.Text(kRows), "run-7");
  EXPECT_EQ(column.Text(kRows + 1), "run-40000");
}

TEST(ReadTable, ReadsFilesLargerThanItsBuffer) {
  const TempFolder folder;
  std::string text = "a,b,c\n";
  constexpr size_t kRows = 200000;
  for (size_t i = 0; i < kRows; ++i) {
    text += std::to_string(i) + ",\"x\n" + std::to_string(i % 7) + "\"," +
            std::to_string(static_cast<double>(i) / 8) + "\r\n";
  }
  const auto source = Source::Open(folder.Write("large.csv", text));
  ASSERT_TRUE(source.ok());
  base::NoProgress progress;
  const auto table = ReadTable(*source, {}, std::stop_token(), progress);
  ASSERT_TRUE(table.ok()) << table.error().Describe();
  ASSERT_EQ(table->row_count, kRows);
  EXPECT_EQ(table->columns[1].levels().size(), 7U);
  for (size_t row = 0; row < kRows; ++row) {
    ASSERT_EQ(table->columns[0][row], static_cast<double>(row));
    ASSERT_EQ(table->columns[2][row], static_cast<double>(row) / 8);
    ASSERT_EQ(table->lines[row], 2 + 2 * row);
  }
}

TEST(ReadTable, ReadsALineWithoutEnd) {
  EXPECT_THAT(Cells(Read("a,b\n1,2\n3,4"), "b"), ElementsAre("2", "4"));
  EXPECT_THAT(Cells(Read("\xEF\xBB\xBF"
                         "a,b\r\n1,2\r\n3,"),
                    "b"),
              ElementsAre("2", ""));
}

TEST(ReadHeader, GivesTheNames) {
  const Source source = Source::FromText(" a ;\"b;c\"\n1;2\n", "x");
  const auto names = ReadHeader(source, {});
  ASSERT_TRUE(names.ok());
  EXPECT_THAT(*names, ElementsAre("a", "b;c"));
}

class RecordingProgress final : public base::Progress {
 public:
  void Begin(std::string_view what, uint64_t total) override {
    log_ += std::string(what) + " " + std::to_string(total) + " ";
  }
  void Advance(uint64_t steps) override { advanced_ += steps; }
  void End() override { log_ += "end"; }

  const std::string& log() const { return log_; }
  uint64_t advanced() const { return advanced_; }

 private:
  std::string log_;
  uint64_t advanced_ = 0;
};

TEST(ReadTable, ReportsItsProgress) {
  const Source source = Source::FromText("a,b\n1,2\n", "runs.csv");
  RecordingProgress progress;
  ASSERT_TRUE(ReadTable(source, {}, std::stop_token(), progress).ok());
  EXPECT_EQ(progress.log(), "reading runs.csv 16 end");
  EXPECT_EQ(progress.advanced(), 16U);
}

TEST(ReadTable, EndsItsProgressAlsoWhenItFails) {
  const Source source = Source::FromText("a,b\n1\n", "runs.csv");
  RecordingProgress progress;
  ASSERT_FALSE(ReadTable(source, {}, std::stop_token(), progress).ok());
  EXPECT_EQ(progress.log(), "reading runs.csv 12 end");
}

TEST(ReadTable, StopsWhenAsked) {
  std::stop_source stop;
  stop.request_stop();
  base::NoProgress progress;
  const Source source = Source::FromText("a\n1\n", "runs.csv");
  const auto table = ReadTable(source, {}, stop.get_token(), progress);
  ASSERT_FALSE(table.ok());
  EXPECT_EQ(table.error().code(), base::ErrorCode::kInterrupted);
  EXPECT_EQ(table.error().Describe(), "interrupted");
}

// Asks for a stop in the middle of a pass.
class StoppingProgress final : public base::Progress {
 public:
  explicit StoppingProgress(uint64_t after) : after_(after) {}
  void Begin(std::string_view, uint64_t) override {}
  void Advance(uint64_t steps) override {
    advanced_ += steps;
    if (advanced_ >= after_) stop_.request_stop();
  }
  void End() override {}
  std::stop_token token() const { return stop_.get_token(); }
  uint64_t advanced() const { return advanced_; }

 private:
  uint64_t after_;
  uint64_t advanced_ = 0;
  std::stop_source stop_;
};

TEST(ReadTable, StopsInEitherPass) {
  std::string text = "a\n";
  for (int i = 0; i < 50000; ++i) text += "1\n";
  const Source source = Source::FromText(std::move(text), "runs.csv");
  for (const uint64_t after : {uint64_t{1}, source.size() + 1}) {
    StoppingProgress progress(after);
    const auto table = ReadTable(source, {}, progress.token(), progress);
    ASSERT_FALSE(table.ok());
    EXPECT_EQ(table.error().code(), base::ErrorCode::kInterrupted);
    EXPECT_LT(progress.advanced(), after + source.size() / 2);
  }
}

}  // namespace
}  // namespace reckon::tables
