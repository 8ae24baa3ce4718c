// Any table that can be written reads back as the same table.
#include <cmath>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/rng.h"
#include "base/text.h"
#include "tables/cell.h"
#include "tables/writer.h"
#include "tests/unit/tables/helpers.h"

namespace reckon::tables {
namespace {

std::string RandomText(base::Rng& rng) {
  static const std::vector<std::string> kPieces{
      "a", "b", "x",  ",", ";",  "\t",  "\"", "\"\"", "\n",       "\r",           "\r\n",
      " ", "1", ".5", "-", "e3", "nan", "NA", "#",    "\xC3\xA4", "\xEF\xBB\xBF", "None"};
  std::string text;
  const size_t count = rng.Below(5);
  for (size_t i = 0; i < count; ++i) text += kPieces[rng.Below(kPieces.size())];
  return text;
}

double RandomNumber(base::Rng& rng) {
  switch (rng.Below(6)) {
    case 0:
      return std::numeric_limits<double>::quiet_NaN();
    case 1:
      return static_cast<double>(rng.Below(10));
    case 2:
      return static_cast<double>(rng.Below(200000)) - 100000;
    case 3:
      return static_cast<double>(rng.NextBits() >> 10);
    case 4:
      return rng.Normal();
    default:
      return rng.Normal() * std::pow(10.0, static_cast<double>(rng.Below(600)) - 300);
  }
}

core::Column RandomNumbers(base::Rng& rng, std::string name, size_t rows) {
  std::vector<double> numbers;
  for (size_t row = 0; row < rows; ++row) numbers.push_back(RandomNumber(rng));
  return core::Column::Numbers(std::move(name), core::NumberVector::Of(numbers));
}

// Levels appear in the order of the rows, as they do in a table that was read.
core::Column RandomCategories(base::Rng& rng, std::string name, size_t rows) {
  std::vector<std::string> levels;
  std::vector<double> codes;
  for (size_t row = 0; row < rows; ++row) {
    const std::string level = RandomText(rng);
    if (IsMissing(base::Trim(level))) {
      codes.push_back(std::numeric_limits<double>::quiet_NaN());
      continue;
    }
    const auto known = std::find(levels.begin(), levels.end(), level);
    codes.push_back(static_cast<double>(known - levels.begin()));
    if (known == levels.end()) levels.push_back(level);
  }
  return core::Column::Categories(std::move(name), std::move(levels),
                                  core::NumberVector::Of(codes));
}

core::Table RandomTable(base::Rng& rng, ReadOptions& options) {
  core::Table table;
  table.row_count = 1 + rng.Below(6);
  std::set<std::string> names;
  const size_t columns = 1 + rng.Below(5);
  while (table.columns.size() < columns) {
    const std::string name(base::Trim(RandomText(rng)));
    if (name.empty() || !names.insert(name).second) continue;
    if (rng.Below(2) == 0) {
      table.columns.push_back(RandomNumbers(rng, name, table.row_count));
    } else {
      table.columns.push_back(RandomCategories(rng, name, table.row_count));
      options.category.push_back(name);
    }
  }
  return table;
}

void ExpectSame(const core::Table& a, const core::Table& b, const std::string& text) {
  ASSERT_EQ(a.row_count, b.row_count) << text;
  ASSERT_EQ(a.Names(), b.Names()) << text;
  for (size_t i = 0; i < a.columns.size(); ++i) {
    ASSERT_EQ(a.columns[i].kind(), b.columns[i].kind()) << text;
    ASSERT_EQ(a.columns[i].levels(), b.columns[i].levels()) << text;
    for (size_t row = 0; row < a.row_count; ++row) {
      const double left = a.columns[i][row];
      const double right = b.columns[i][row];
      ASSERT_TRUE(left == right || (std::isnan(left) && std::isnan(right))) << text;
    }
  }
}

TEST(RoundTrip, TablesReadBackAsTheyWereWritten) {
  base::Rng rng(11);
  for (int round = 0; round < 3000; ++round) {
    ReadOptions options;
    const core::Table table = RandomTable(rng, options);
    const std::string text = TableText(table, rng.Below(2) == 0 ? ',' : '\t');
    const core::Table again = Read(text, options);
    ExpectSame(table, again, testing::PrintToString(text));
    if (HasFatalFailure()) return;
    ASSERT_EQ(again.lines.size(), again.row_count);
  }
}

TEST(RoundTrip, ThroughAFile) {
  const TempFolder folder;
  base::Rng rng(12);
  ReadOptions options;
  const core::Table table = RandomTable(rng, options);
  ASSERT_TRUE(WriteTable(table, folder / "t.tsv").ok());
  const auto source = Source::Open(folder / "t.tsv");
  ASSERT_TRUE(source.ok());
  base::NoProgress progress;
  const auto again = ReadTable(*source, options, std::stop_token(), progress);
  ASSERT_TRUE(again.ok()) << again.error().Describe();
  ExpectSame(table, *again, "file");
}

// A copy has the cells of its input whatever the input looks like.
TEST(RoundTrip, CopiesHaveTheCellsOfTheirInput) {
  base::Rng rng(13);
  const TempFolder folder;
  for (int round = 0; round < 100; ++round) {
    ReadOptions options;
    const core::Table table = RandomTable(rng, options);
    if (table.Find("extra")) continue;
    const Source input = Source::FromText(TableText(table, ';'), "runs.csv");
    options.delimiter = ';';
    Extras extras;
    extras.names = {"extra"};
    extras.row_count = table.row_count;
    extras.append = [](size_t row, std::string& line) -> base::Status {
      line += ',' + std::to_string(row);
      return {};
    };
    auto file = base::AtomicFile::Create(folder / "copy.csv");
    ASSERT_TRUE(file.ok());
    base::NoProgress progress;
    ASSERT_TRUE(
        CopyWithColumns(input, options, extras, ',', *file, std::stop_token(), progress).ok());
    ASSERT_TRUE(file->Commit().ok());
    options.delimiter = 0;
    const std::string text = TextOf(folder / "copy.csv");
    core::Table copy = Read(text, options);
    ASSERT_EQ(copy.Names().back(), "extra");
    copy.columns.pop_back();
    ExpectSame(table, copy, testing::PrintToString(text));
    if (HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace reckon::tables
