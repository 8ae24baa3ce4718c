#include "tables/writer.h"

#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/tables/helpers.h"

namespace reckon::tables {
namespace {

using testing::ElementsAre;

std::string Quoted(std::string_view cell, char delimiter = ',') {
  std::string out;
  AppendCell(out, cell, delimiter);
  return out;
}

TEST(DelimiterFor, GoesByTheName) {
  EXPECT_EQ(DelimiterFor("a.tsv"), '\t');
  EXPECT_EQ(DelimiterFor("b/a.TSV"), '\t');
  EXPECT_EQ(DelimiterFor("a.csv"), ',');
  EXPECT_EQ(DelimiterFor("a"), ',');
  EXPECT_EQ(DelimiterFor("tsv"), ',');
  EXPECT_EQ(DelimiterFor("/dev/stdout"), ',');
}

TEST(AppendCell, QuotesOnlyWhatNeedsIt) {
  EXPECT_EQ(Quoted("abc"), "abc");
  EXPECT_EQ(Quoted(""), "");
  EXPECT_EQ(Quoted("a b"), "a b");
  EXPECT_EQ(Quoted("1.5"), "1.5");
  EXPECT_EQ(Quoted("a,b"), "\"a,b\"");
  EXPECT_EQ(Quoted("a;b"), "\"a;b\"");
  EXPECT_EQ(Quoted("a\tb"), "\"a\tb\"");
  EXPECT_EQ(Quoted("a\"b"), "\"a\"\"b\"");
  EXPECT_EQ(Quoted("a\nb"), "\"a\nb\"");
  EXPECT_EQ(Quoted("a\rb"), "\"a\rb\"");
  EXPECT_EQ(Quoted(" a"), "\" a\"");
  EXPECT_EQ(Quoted("a "), "\"a \"");
  EXPECT_EQ(Quoted("a|b", '|'), "\"a|b\"");
  EXPECT_EQ(Quoted("a|b"), "a|b");
  EXPECT_EQ(Quoted("\xEF\xBB\xBF"
                   "a"),
            "\"\xEF\xBB\xBF"
            "a\"");
}

core::Table SmallTable() {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  core::Table table;
  table.row_count = 3;
  table.columns.push_back(
      core::Column::Numbers("step time", core::NumberVector::Of({0.1, nan, -3})));
  table.columns.push_back(
      core::Column::Categories("gpu, kind", {"a\"b", "x"}, core::NumberVector::Of({1, 0, nan})));
  return table;
}

TEST(TableText, HasAHeaderAndALineForEachRow) {
  EXPECT_EQ(TableText(SmallTable(), ','), "step time,\"gpu, kind\"\n0.1,x\n,\"a\"\"b\"\n-3,\n");
  EXPECT_EQ(TableText(SmallTable(), '\t'),
            "step time\t\"gpu, kind\"\n0.1\tx\n\t\"a\"\"b\"\n-3\t\n");
}

TEST(TableText, ShowsTheOnlyCellOfARow) {
  core::Table table;
  table.row_count = 2;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  table.columns.push_back(core::Column::Numbers("a", core::NumberVector::Of({nan, 1})));
  EXPECT_EQ(TableText(table, ','), "a\n\"\"\n1\n");
  EXPECT_THAT(Cells(Read(TableText(table, ',')), "a"), ElementsAre("", "1"));
}

TEST(WriteTable, WritesAFileByItsName) {
  const TempFolder folder;
  ASSERT_TRUE(WriteTable(SmallTable(), folder / "a.csv").ok());
  EXPECT_EQ(TextOf(folder / "a.csv"), TableText(SmallTable(), ','));
  ASSERT_TRUE(WriteTable(SmallTable(), folder / "a.tsv").ok());
  EXPECT_EQ(TextOf(folder / "a.tsv"), TableText(SmallTable(), '\t'));
}

TEST(WriteTable, SaysWhatIsWrong) {
  const auto written = WriteTable(SmallTable(), "/no/such/folder/a.csv");
  ASSERT_FALSE(written.ok());
  EXPECT_EQ(written.error().code(), base::ErrorCode::kNotFound);
}

// Copies `text` with the extra columns and returns the file, or the message.
std::string Copy(const std::string& text, const Extras& extras, const ReadOptions& options = {},
                 char out_delimiter = ',', const std::stop_token& stop = {}) {
  const TempFolder folder;
  const Source input = Source::FromText(text, "runs.csv");
  auto file = base::AtomicFile::Create(folder / "out.csv");
  EXPECT_TRUE(file.ok());
  base::NoProgress progress;
  const auto copied = CopyWithColumns(input, options, extras, out_delimiter, *file, stop, progress);
  if (!copied.ok()) {
    return std::string(base::ErrorCodeName(copied.error().code())) + ": " +
           copied.error().Describe();
  }
  EXPECT_TRUE(file->Commit().ok());
  return TextOf(folder / "out.csv");
}

Extras TwoExtras(size_t row_count, char delimiter = ',') {
  Extras extras;
  extras.names = {"predicted", "in, support"};
  extras.row_count = row_count;
  extras.append = [delimiter, row_count](size_t row, std::string& line) -> base::Status {
    EXPECT_LT(row, row_count);
    line += delimiter;
    line += std::to_string(row);
    line += delimiter;
    line += "yes";
    return {};
  };
  return extras;
}

TEST(CopyWithColumns, KeepsTheTextOfEveryCell) {
  EXPECT_EQ(
      Copy("\xEF\xBB\xBF a ,b\r\n1.50,\"x, \"\"y\"\"\"\r\n\r\n 007 ,NA", TwoExtras(2)),
      "\" a \",b,predicted,\"in, support\"\n1.50,\"x, \"\"y\"\"\",0,yes\n\" 007 \",NA,1,yes\n");
}

TEST(CopyWithColumns, ChangesTheDelimiter) {
  ReadOptions options;
  options.delimiter = '|';
  EXPECT_EQ(Copy("a|b\n1|2,3\n", TwoExtras(1, '\t'), options, '\t'),
            "a\tb\tpredicted\t\"in, support\"\n1\t\"2,3\"\t0\tyes\n");
}

TEST(CopyWithColumns, CopiesASingleMissingCell) {
  EXPECT_EQ(Copy("a\n\"\"\n1\n", TwoExtras(2)),
            "a,predicted,\"in, support\"\n\"\",0,yes\n1,1,yes\n");
}

TEST(CopyWithColumns, RefusesAColumnThatIsThere) {
  EXPECT_EQ(Copy("a, predicted\n1,2\n", TwoExtras(1)),
            "bad_input: runs.csv already has a column 'predicted'");
}

TEST(CopyWithColumns, NoticesThatTheInputChanged) {
  const std::string changed = "unavailable: runs.csv changed while it was being read";
  EXPECT_EQ(Copy("a\n1\n2\n", TwoExtras(1)), changed);
  EXPECT_EQ(Copy("a\n1\n2\n", TwoExtras(3)), changed);
}

TEST(CopyWithColumns, ReportsBadInput) {
  EXPECT_EQ(Copy("", TwoExtras(1)),
            "bad_input: runs.csv is empty; expected a header line and rows below it");
  EXPECT_EQ(Copy("a,b\n1\n", TwoExtras(1)),
            "bad_input: runs.csv, line 2: 1 cell, expected 2 as in the header");
}

TEST(CopyWithColumns, PassesOnTheErrorOfTheExtras) {
  Extras extras = TwoExtras(1);
  extras.append = [](size_t, std::string&) -> base::Status {
    return base::Error(base::ErrorCode::kFailed, "no idea");
  };
  EXPECT_EQ(Copy("a\n1\n", extras), "failed: no idea");
}

TEST(CopyWithColumns, StopsWhenAsked) {
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(Copy("a\n1\n", TwoExtras(1), {}, ',', stop.get_token()), "interrupted: interrupted");
}

}  // namespace
}  // namespace reckon::tables
