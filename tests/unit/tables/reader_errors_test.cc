#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "tables/reader.h"
#include "tests/unit/tables/helpers.h"

namespace reckon::tables {
namespace {

using testing::HasSubstr;

TEST(ReadTableErrors, NoTextAndNoRows) {
  EXPECT_EQ(ReadError(""), "runs.csv is empty; expected a header line and rows below it");
  EXPECT_EQ(ReadError("\n  \n\r\n"), "runs.csv is empty; expected a header line and rows below it");
  EXPECT_EQ(ReadError("\xEF\xBB\xBF"),
            "runs.csv is empty; expected a header line and rows below it");
  EXPECT_EQ(ReadError("a,b\n"),
            "runs.csv has a header but no rows; expected at least one below it");
  EXPECT_EQ(ReadError("a,b\n\n \n"),
            "runs.csv has a header but no rows; expected at least one below it");
}

TEST(ReadTableErrors, RowsOfTheWrongLength) {
  EXPECT_EQ(ReadError("a,b,c,d\n1,2,3,4\n\n1,2,3,4\n1,2,3\n"),
            "runs.csv, line 5: 3 cells, expected 4 as in the header");
  EXPECT_EQ(ReadError("a\n1\n1,2\n"), "runs.csv, line 3: 2 cells, expected 1 as in the header");
  EXPECT_EQ(ReadError("a,b\n\"x\ny\",2\n1\n"),
            "runs.csv, line 4: 1 cell, expected 2 as in the header");
}

TEST(ReadTableErrors, TextThatIsNotUtf8) {
  EXPECT_THAT(ReadError("gr\xF6\xDF,b\n1,2\n"),
              HasSubstr("runs.csv, line 1: the name of column 1 is not UTF-8 text"));
  EXPECT_THAT(ReadError("a,b\n1,ok\n2,gr\xF6\xDF\n"),
              HasSubstr("runs.csv, line 3: a cell of column 'b' is not UTF-8 text"));
  EXPECT_EQ(Read("gr\u00F6\u00DF,b\n1,\u65E5\n").columns[1].Text(0), "\u65E5");
}

TEST(ReadTableErrors, NamesOfColumns) {
  EXPECT_EQ(ReadError("a,b, ,d\n1,2,3,4\n"), "runs.csv, line 1: column 3 has no name");
  EXPECT_EQ(ReadError("\n\na,b,\n1,2,3\n"), "runs.csv, line 3: column 3 has no name");
  EXPECT_EQ(ReadError("a,b, a\n1,2,3\n"), "runs.csv, line 1: two columns are named 'a'");
}

TEST(ReadTableErrors, NumbersThatAreNotFinite) {
  EXPECT_EQ(ReadError("x,y\n1,1\n1,2\n1,3\n1,4\n1,5\n1,nan\n1,6\n"),
            "runs.csv, line 7, column 'y': 'nan' is not a finite number; leave the cell empty if "
            "the value is missing");
  for (const std::string word : {"NaN", "inf", "-inf", "Infinity", "-INFINITY"}) {
    EXPECT_EQ(ReadError("y\n" + word + "\n2\n"),
              "runs.csv, line 2, column 'y': '" + word +
                  "' is not a finite number; leave the cell empty if the value is missing");
  }
  EXPECT_THAT(ReadError("y\nnan\n"), HasSubstr("'nan' is not a finite number"));
  EXPECT_THAT(ReadError("y\n1.5\n2.5\n nan \n"), HasSubstr("line 4, column 'y': 'nan'"));
}

TEST(ReadTableErrors, NumbersBeyondTheRange) {
  EXPECT_EQ(ReadError("x,y\n1,2\n1,1e999\n"),
            "runs.csv, line 3, column 'y': '1e999' is beyond the range of numbers");
  EXPECT_EQ(ReadError("y\n1.5\n-1e999\n"),
            "runs.csv, line 3, column 'y': '-1e999' is beyond the range of numbers");
}

TEST(ReadTableErrors, TheFirstOfSeveralIsReported) {
  EXPECT_THAT(ReadError("x,y\n1,2\n1,inf\nnan,3\n"), HasSubstr("line 3, column 'y': 'inf'"));
  EXPECT_THAT(ReadError("x,y\n1,2\nnan,3\n1,inf\n"), HasSubstr("line 3, column 'x': 'nan'"));
}

TEST(ReadTableErrors, ColumnsThatMustBeNumbers) {
  ReadOptions options;
  options.numeric = {"y"};
  EXPECT_EQ(ReadError("x,y\na,1\nb,two\nc,nan\n", options),
            "runs.csv, line 3, column 'y': 'two' is not a number");
  EXPECT_THAT(ReadError("x,y\na,1\nb,nan\nc,two\n", options),
              HasSubstr("line 3, column 'y': 'nan'"));
  EXPECT_THAT(ReadError("x,y\na,1\nb," + std::string(100, 'z') + "\n", options),
              HasSubstr("'" + std::string(40, 'z') + "...' is not a number"));
  EXPECT_EQ(Read("x,y\na,1\nb,\n", options).row_count, 2U);
}

TEST(ReadTableErrors, OptionsThatNameNoColumn) {
  ReadOptions options;
  options.numeric = {"wrokers"};
  const auto not_found = base::ErrorCode::kNotFound;
  EXPECT_EQ(ReadError("workers,gpu\n1,x\n", options, Format::kTable, not_found),
            "runs.csv has no column 'wrokers'; did you mean 'workers'?");
  options = {};
  options.category = {"price"};
  EXPECT_EQ(ReadError("workers,gpu\n1,x\n", options, Format::kTable, not_found),
            "runs.csv has no column 'price'; known: workers, gpu");
}

TEST(ReadTableErrors, OptionsThatContradict) {
  ReadOptions options;
  options.numeric = {"b", "a"};
  options.category = {"a"};
  EXPECT_EQ(ReadError("a,b\n1,2\n", options), "column 'a' cannot be both numeric and a category");
  options.numeric = {"b", "b"};
  EXPECT_EQ(Read("a,b\n1,2\n", options).row_count, 1U);
}

TEST(ReadTableErrors, TextThatIsNone) {
  EXPECT_EQ(ReadError("a,b\n1,\"2\n3,4\n"),
            "runs.csv, line 2: the quote that opens here is never closed");
  EXPECT_EQ(ReadError(std::string("a,b\n1,\0\n", 8)),
            "runs.csv, line 2: looks like binary data or UTF-16, expected text");
  ReadOptions options;
  options.delimiter = '"';
  EXPECT_EQ(ReadError("a,b\n1,2\n", options), "the delimiter cannot be a quote or a line end");
}

// Changes the file as soon as the first pass has begun to report, or the second.
class ChangingProgress final : public base::Progress {
 public:
  ChangingProgress(uint64_t after, std::function<void()> change)
      : after_(after), change_(std::move(change)) {}
  void Begin(std::string_view, uint64_t) override {}
  void Advance(uint64_t steps) override {
    advanced_ += steps;
    if (advanced_ < after_ || !change_) return;
    change_();
    change_ = nullptr;
  }
  void End() override {}

 private:
  uint64_t after_;
  uint64_t advanced_ = 0;
  std::function<void()> change_;
};

// Reads a file that becomes `later` between the passes, or early in the first.
std::string ReadChanging(const std::string& text, const std::string& later, bool early = false) {
  const TempFolder folder;
  const auto path = folder.Write("runs.csv", text);
  const auto source = Source::Open(path);
  EXPECT_TRUE(source.ok());
  // Each pass opens with a report of where it starts.
  ChangingProgress progress(early ? 1 : source->size(), [&] {
    // In place: the reader keeps the file open.
    std::ofstream(path, std::ios::binary | std::ios::trunc) << later;
  });
  const auto table = ReadTable(*source, {}, std::stop_token(), progress);
  if (table.ok()) return "";
  EXPECT_EQ(table.error().code(), base::ErrorCode::kUnavailable);
  const std::string message = table.error().Describe();
  return message.substr(message.rfind('/') + 1);
}

TEST(ReadTableErrors, FilesThatChangeBetweenThePasses) {
  // Long enough that the change is not in the scanner's buffer yet.
  std::string header = "a,b\n";
  std::string rows;
  while (rows.size() < 1400000) rows += "12345,67890\n";
  const std::string text = header + rows;
  const std::string changed = "runs.csv changed while it was being read";
  EXPECT_EQ(ReadChanging(text, text), "");
  EXPECT_EQ(ReadChanging(text, text + "1,2\n"), changed);
  EXPECT_EQ(ReadChanging(text, header + rows.substr(0, 1200000)), changed);
  const size_t cut = 12 * 100000;
  EXPECT_EQ(ReadChanging(text, header + rows.substr(0, cut) + "x,1\n" + rows.substr(cut + 12)),
            changed);
  EXPECT_EQ(ReadChanging(text, header + rows.substr(0, cut) + "1.5,1\n" + rows.substr(cut + 12)),
            changed);
  EXPECT_EQ(
      ReadChanging(text, header + rows.substr(0, cut) + "1234567,1\n" + rows.substr(cut + 12)),
      changed);
  EXPECT_EQ(ReadChanging(text, header + rows.substr(0, cut) + "1\n" + rows.substr(cut + 12)),
            changed);
  EXPECT_EQ(ReadChanging(text, header + rows.substr(0, cut) + "1,\"\n" + rows.substr(cut + 12)),
            changed);
  EXPECT_EQ(ReadChanging(text, ""), changed);
  EXPECT_EQ(ReadChanging(text, text, true), "");
  EXPECT_EQ(ReadChanging(text, "c,d\n" + rows, true), changed);
  EXPECT_EQ(ReadChanging(text, "a,a\n" + rows, true), changed);
}

}  // namespace
}  // namespace reckon::tables
