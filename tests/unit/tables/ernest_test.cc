#include "tables/adapters/ernest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/tables/helpers.h"

namespace reckon::tables {
namespace {

using testing::ElementsAre;

core::Table ReadErnest(std::string text) { return ReadFormat(Format::kErnest, std::move(text)); }
std::string ErnestError(std::string text) { return FormatError(Format::kErnest, std::move(text)); }

TEST(Ernest, ReadsMachinesScaleAndTime) {
  const core::Table table = ReadErnest(
      "#Cores,Input Fraction, Time (s)\n32,0.125,7.5\n\n 4 , 0.015625 , 4.72 \r\n# \"more\n2,1,9");
  EXPECT_THAT(table.Names(), ElementsAre("machines", "scale", "time_s"));
  EXPECT_THAT(Cells(table, "machines"), ElementsAre("32", "4", "2"));
  EXPECT_THAT(Cells(table, "scale"), ElementsAre("0.125", "0.015625", "1"));
  EXPECT_THAT(Cells(table, "time_s"), ElementsAre("7.5", "4.72", "9"));
  EXPECT_THAT(table.lines, ElementsAre(2, 4, 6));
  EXPECT_EQ(table.row_count, 3U);
  EXPECT_EQ(table.source, "runs.csv");
}

TEST(Ernest, NamesTheLineOfAMistake) {
  EXPECT_EQ(ErnestError("# c\n1,1,1\n1,1\n"),
            "runs.csv, line 3: 2 cells, expected 3: machines, fraction of the input, seconds");
  EXPECT_EQ(ErnestError("1,1,1,1\n"),
            "runs.csv, line 1: 4 cells, expected 3: machines, fraction of the input, seconds");
  EXPECT_EQ(ErnestError("machines,scale,time\n1,1,1\n"),
            "runs.csv, line 1: machines 'machines' is not a number; a header line starts with '#'");
  EXPECT_EQ(ErnestError("1,1,1\n1,,1\n"),
            "runs.csv, line 2: scale '' is not a number; a header line starts with '#'");
  EXPECT_EQ(ErnestError("1,1,nan\n"),
            "runs.csv, line 1: time_s 'nan' is not a number; a header line starts with '#'");
  EXPECT_EQ(ErnestError("1,1,1\n0,1,1\n"), "runs.csv, line 2: machines must be above 0, not 0");
  EXPECT_EQ(ErnestError("1,-0.5,1\n"), "runs.csv, line 1: scale must be above 0, not -0.5");
}

TEST(Ernest, WantsRows) {
  EXPECT_EQ(ErnestError(""), "runs.csv has no rows");
  EXPECT_EQ(ErnestError("# only a comment\n"), "runs.csv has no rows");
  EXPECT_EQ(ErnestError(std::string("1,1,1\n\0", 7)),
            "runs.csv, line 2: looks like binary data or UTF-16, expected text");
}

}  // namespace
}  // namespace reckon::tables
