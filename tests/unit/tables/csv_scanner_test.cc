#include "tables/csv_scanner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/rng.h"
#include "tests/unit/tables/helpers.h"

namespace reckon::tables {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

struct Record {
  uint64_t line;
  std::vector<std::string> cells;
  bool operator==(const Record&) const = default;
};

void PrintTo(const Record& record, std::ostream* out) {
  *out << "line " << record.line << ": " << testing::PrintToString(record.cells);
}

struct Scanned {
  std::vector<Record> records;
  std::string error;
};

Scanned Scan(std::string text, const CsvScanner::Options& options = {.delimiter = ','}) {
  Scanned scanned;
  const Source source = Source::FromText(std::move(text), "x.csv");
  auto scanner = CsvScanner::Open(source, options);
  if (!scanner.ok()) return {{}, scanner.error().Describe()};
  for (;;) {
    const auto any = scanner->Next();
    if (!any.ok()) {
      EXPECT_EQ(any.error().code(), base::ErrorCode::kBadInput);
      scanned.error = any.error().Describe();
      return scanned;
    }
    if (!*any) break;
    Record record{scanner->line(), {}};
    for (const std::string_view cell : scanner->fields()) record.cells.emplace_back(cell);
    scanned.records.push_back(std::move(record));
  }
  EXPECT_EQ(scanner->consumed(), source.size());
  return scanned;
}

TEST(CsvScanner, SplitsLinesAndCells) {
  EXPECT_THAT(Scan("a,b\n1,2\n").records,
              ElementsAre(Record{1, {"a", "b"}}, Record{2, {"1", "2"}}));
  EXPECT_THAT(Scan("a,,\n,\n").records, ElementsAre(Record{1, {"a", "", ""}}, Record{2, {"", ""}}));
  EXPECT_THAT(Scan("a;b\n1;2", {.delimiter = ';'}).records,
              ElementsAre(Record{1, {"a", "b"}}, Record{2, {"1", "2"}}));
}

TEST(CsvScanner, TakesAnyLineEnd) {
  const auto expected = ElementsAre(Record{1, {"a", "b"}}, Record{2, {"1", "2"}});
  EXPECT_THAT(Scan("a,b\r\n1,2\r\n").records, expected);
  EXPECT_THAT(Scan("a,b\r1,2\r").records, expected);
  EXPECT_THAT(Scan("a,b\n1,2").records, expected);
  EXPECT_THAT(Scan("a,b\r\n1,2").records, expected);
  EXPECT_THAT(Scan("a\r\rb").records, ElementsAre(Record{1, {"a"}}, Record{3, {"b"}}));
}

TEST(CsvScanner, SkipsBlankLinesAndCountsThem) {
  EXPECT_THAT(Scan("\n\r\n  \na,b\n \t \n\n1,2\n\n").records,
              ElementsAre(Record{4, {"a", "b"}}, Record{7, {"1", "2"}}));
  EXPECT_THAT(Scan("\"\"\n\"  \"\n  ").records, ElementsAre(Record{1, {""}}, Record{2, {"  "}}));
  EXPECT_THAT(Scan("a\n\t\t\nb", {.delimiter = '\t'}).records,
              ElementsAre(Record{1, {"a"}}, Record{2, {"", "", ""}}, Record{3, {"b"}}));
  EXPECT_THAT(Scan("").records, ElementsAre());
  EXPECT_THAT(Scan(" \n\n").records, ElementsAre());
}

TEST(CsvScanner, ReadsQuotedCells) {
  EXPECT_THAT(Scan("\"a,b\",\"c\"\"d\"\n\"\",\"\"\"\"\n").records,
              ElementsAre(Record{1, {"a,b", "c\"d"}}, Record{2, {"", "\""}}));
  EXPECT_THAT(Scan("\"x\"").records, ElementsAre(Record{1, {"x"}}));
  EXPECT_THAT(Scan("1,\"\"\"a\"\",\"\"b\"\"\",\"c\"\"\"\n").records,
              ElementsAre(Record{1, {"1", "\"a\",\"b\"", "c\""}}));
}

TEST(CsvScanner, TakesAQuoteInsideACellAsItIs) {
  EXPECT_THAT(Scan("5\" disk,a\"b\", \"c\"\n").records,
              ElementsAre(Record{1, {"5\" disk", "a\"b\"", " \"c\""}}));
}

TEST(CsvScanner, CountsLinesInsideQuotes) {
  EXPECT_THAT(Scan("\"a\nb\",\"c\r\nd\re\"\nx,y\n").records,
              ElementsAre(Record{1, {"a\nb", "c\r\nd\re"}}, Record{5, {"x", "y"}}));
}

TEST(CsvScanner, SkipsAByteOrderMark) {
  EXPECT_THAT(Scan("\xEF\xBB\xBF"
                   "a,b\n")
                  .records,
              ElementsAre(Record{1, {"a", "b"}}));
  EXPECT_THAT(Scan("\xEF\xBB\xBF\"a\",b\n").records, ElementsAre(Record{1, {"a", "b"}}));
}

TEST(CsvScanner, NamesTheLineOfAQuoteThatStaysOpen) {
  EXPECT_EQ(Scan("a\n\"b\nc\n\"\"\n").error,
            "x.csv, line 2: the quote that opens here is never closed");
  EXPECT_EQ(Scan("\"a\nb\",\"c\nd").error,
            "x.csv, line 2: the quote that opens here is never closed");
  EXPECT_EQ(Scan("\"").error, "x.csv, line 1: the quote that opens here is never closed");
}

TEST(CsvScanner, RefusesTextBehindAClosingQuote) {
  EXPECT_EQ(Scan("a,b\n1,\"x\"y\n").error,
            "x.csv, line 2: text behind the closing quote of cell 2");
  EXPECT_EQ(Scan("\"a\nb\"c").error, "x.csv, line 2: text behind the closing quote of cell 1");
}

TEST(CsvScanner, RefusesWhatIsNoText) {
  const std::string fault = "looks like binary data or UTF-16, expected text";
  EXPECT_EQ(Scan(std::string("a,b\n1,\0\n", 8)).error, "x.csv, line 2: " + fault);
  EXPECT_EQ(Scan(std::string("a\n\"b\n\0\"", 8)).error, "x.csv, line 3: " + fault);
  EXPECT_EQ(Scan(std::string("a\0", 2)).error, "x.csv, line 1: " + fault);
  EXPECT_EQ(Scan(std::string("\xFF\xFE"
                             "a\0",
                             4))
                .error,
            "x.csv, line 1: " + fault);
  EXPECT_EQ(Scan(std::string("\xFE\xFF\0a", 4)).error, "x.csv, line 1: " + fault);
}

TEST(CsvScanner, RefusesADelimiterThatMeansSomethingElse) {
  for (const char delimiter : {'"', '\n', '\r'}) {
    EXPECT_EQ(Scan("a", {.delimiter = delimiter}).error,
              "the delimiter cannot be a quote or a line end");
  }
}

TEST(CsvScanner, GrowsForLongRecordsUpToALimit) {
  const std::string cell(100000, 'x');
  const CsvScanner::Options options{
      .delimiter = ',', .buffer_bytes = 64, .max_record_bytes = 150000};
  EXPECT_THAT(Scan("a\n" + cell + "\nb\n", options).records,
              ElementsAre(Record{1, {"a"}}, Record{2, {cell}}, Record{3, {"b"}}));
  const CsvScanner::Options tight{
      .delimiter = ',', .buffer_bytes = 64, .max_record_bytes = 2 << 20};
  const std::string huge(5 << 20, 'x');
  EXPECT_EQ(Scan("a\n" + huge, tight).error, "x.csv, line 2: this row is longer than 2 MiB");
  EXPECT_EQ(Scan("a\n1,\"b\n" + huge, tight).error,
            "x.csv, line 2: this row is longer than 2 MiB; perhaps the quote that opens in line 2 "
            "is never closed");
}

// Any buffer must give what a large one gives; small ones end in the middle of everything.
TEST(CsvScanner, DoesNotDependOnItsBuffer) {
  base::Rng rng(1);
  const std::string_view alphabet = "aab1,,\n\n\r\"\"\" ;\t";
  for (int round = 0; round < 4000; ++round) {
    std::string text;
    if (rng.Below(8) == 0) text = "\xEF\xBB\xBF";
    const size_t length = rng.Below(rng.Below(20) == 0 ? 400 : 40);
    for (size_t i = 0; i < length; ++i) text += alphabet[rng.Below(alphabet.size())];
    if (rng.Below(40) == 0) text += '\0';
    const Scanned large = Scan(text);
    for (const size_t bytes : {1, 2, 3, 7, 64, 65, 100}) {
      const Scanned small = Scan(text, {.delimiter = ',', .buffer_bytes = bytes});
      ASSERT_EQ(small.records, large.records) << testing::PrintToString(text) << " in " << bytes;
      ASSERT_EQ(small.error, large.error) << testing::PrintToString(text) << " in " << bytes;
    }
  }
}

// The same text read by the plainest code that knows the rules.
TEST(CsvScanner, AgreesWithAPlainReader) {
  const auto plain = [](std::string_view text) {
    std::vector<Record> records;
    Record record{1, {""}};
    uint64_t line = 1;
    bool quoted_any = false;
    const auto end_record = [&] {
      const bool blank = record.cells.size() == 1 && !quoted_any &&
                         record.cells[0].find_first_not_of(" \t") == std::string::npos;
      if (!blank) records.push_back(record);
      record = {++line, {""}};
      quoted_any = false;
    };
    bool cell_start = true;
    for (size_t i = 0; i < text.size(); ++i) {
      const char c = text[i];
      if (c == '"' && cell_start) {
        quoted_any = true;
        for (++i; text[i] != '"' || (i + 1 < text.size() && text[i + 1] == '"'); ++i) {
          if (text[i] == '"') ++i;
          line += text[i] == '\n' || (text[i] == '\r' && text[i + 1] != '\n') ? 1 : 0;
          record.cells.back() += text[i];
        }
        cell_start = false;
      } else if (c == ',') {
        record.cells.emplace_back();
        cell_start = true;
      } else if (c == '\n' || c == '\r') {
        if (c == '\r' && i + 1 < text.size() && text[i + 1] == '\n') ++i;
        end_record();
        cell_start = true;
      } else {
        record.cells.back() += c;
        cell_start = false;
      }
    }
    if (!record.cells[0].empty() || record.cells.size() > 1 || quoted_any) end_record();
    return records;
  };
  base::Rng rng(2);
  const std::vector<std::string> pieces{"a",     "bb",           ",",          ",",
                                        "\n",    "\r\n",         "\r",         " ",
                                        "1.5",   ",\"q\"",       "x\"y",       ",\"a,b\"",
                                        ",\"\"", "\n\"l\nm\"\n", ",\"\"\"\",", "\n\"r\r\nn\r\","};
  size_t compared = 0;
  for (int round = 0; round < 4000; ++round) {
    std::string text;
    const size_t count = rng.Below(60);
    for (size_t i = 0; i < count; ++i) text += pieces[rng.Below(pieces.size())];
    const Scanned scanned = Scan(text);
    if (!scanned.error.empty()) continue;
    ASSERT_EQ(scanned.records, plain(text)) << testing::PrintToString(text);
    ++compared;
  }
  EXPECT_GT(compared, 500U);
}

TEST(DetectDelimiter, DecidesByTheHeader) {
  EXPECT_EQ(DetectDelimiter("a,b\n1\t2\n"), ',');
  EXPECT_EQ(DetectDelimiter("a\tb\n1,2\n"), '\t');
  EXPECT_EQ(DetectDelimiter("a;b\n1,2\n"), ';');
  EXPECT_EQ(DetectDelimiter("a\tb;c\n"), '\t');
  EXPECT_EQ(DetectDelimiter("a\tb,c\n"), ',');
  EXPECT_EQ(DetectDelimiter("a;b,c\n"), ',');
  EXPECT_EQ(DetectDelimiter("a\n1;2\n"), ',');
  EXPECT_EQ(DetectDelimiter(""), ',');
}

TEST(DetectDelimiter, LooksPastQuotesAndBlankLines) {
  EXPECT_EQ(DetectDelimiter("\"a,b\"\tc\n"), '\t');
  EXPECT_EQ(DetectDelimiter("\"a\"\",b\";c\n"), ';');
  EXPECT_EQ(DetectDelimiter("x;\"a\nb,c\";d\n"), ';');
  EXPECT_EQ(DetectDelimiter("x,\"a;b\"\n"), ',');
  EXPECT_EQ(DetectDelimiter("\n \t \r\na;b\n"), ';');
  EXPECT_EQ(DetectDelimiter("5\" a,b\n"), ',');
}

TEST(CsvScanner, DetectsItsDelimiter) {
  const Source source = Source::FromText(
      "\xEF\xBB\xBF"
      "a\tb\n",
      "x");
  auto scanner = CsvScanner::Open(source, {});
  ASSERT_TRUE(scanner.ok());
  EXPECT_EQ(scanner->delimiter(), '\t');
}

}  // namespace
}  // namespace reckon::tables
