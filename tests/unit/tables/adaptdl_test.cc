#include "tables/adapters/adaptdl.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/tables/helpers.h"

namespace reckon::tables {
namespace {

using testing::ElementsAre;

core::Table ReadAdaptDl(std::string text) { return ReadFormat(Format::kAdaptDl, std::move(text)); }
std::string AdaptDlError(std::string text, const ReadOptions& options = {}) {
  return ReadError(std::move(text), options, Format::kAdaptDl);
}

TEST(AdaptDl, CountsNodesAndReplicas) {
  const core::Table table = ReadAdaptDl(
      "placement,local_bsz,step_time,sync_time,job\n1,32,0.5,0,a\n1112,64,0.75,0.25,b\n44,8,1,0.5,"
      "a\n");
  EXPECT_THAT(table.Names(), ElementsAre("placement", "num_nodes", "num_replicas", "local_bsz",
                                         "step_time", "sync_time", "job"));
  EXPECT_EQ(table.columns[0].kind(), core::ColumnKind::kCategory);
  EXPECT_THAT(Cells(table, "placement"), ElementsAre("1", "1112", "44"));
  EXPECT_THAT(Cells(table, "num_nodes"), ElementsAre("1", "4", "2"));
  EXPECT_THAT(Cells(table, "num_replicas"), ElementsAre("1", "5", "8"));
  EXPECT_THAT(Cells(table, "step_time"), ElementsAre("0.5", "0.75", "1"));
  EXPECT_THAT(Cells(table, "job"), ElementsAre("a", "b", "a"));
  EXPECT_THAT(table.lines, ElementsAre(2, 3, 4));
}

TEST(AdaptDl, PutsTheCountsBehindThePlacementWhereverItIs) {
  EXPECT_THAT(ReadAdaptDl("step_time,placement,x\n1,22,3\n").Names(),
              ElementsAre("step_time", "placement", "num_nodes", "num_replicas", "x"));
}

TEST(AdaptDl, CountsBeyondSixteenBits) {
  const core::Table table = ReadAdaptDl("placement,step_time\n" + std::string(40000, '9') + ",1\n");
  EXPECT_THAT(Cells(table, "num_nodes"), ElementsAre("40000"));
  EXPECT_THAT(Cells(table, "num_replicas"), ElementsAre("360000"));
}

TEST(AdaptDl, NamesAColumnThatIsNotThere) {
  EXPECT_EQ(AdaptDlError("local_bsz,step_time\n1,2\n"),
            "runs.csv has no column 'placement', which AdaptDL traces have");
  EXPECT_EQ(AdaptDlError("placement,steptime\n1,2\n"),
            "runs.csv has no column 'step_time', which AdaptDL traces have");
  EXPECT_EQ(AdaptDlError("placement,step_time,num_replicas\n1,2,3\n"),
            "runs.csv already has a column 'num_replicas', which is added to AdaptDL traces");
}

TEST(AdaptDl, NamesTheLineOfABadPlacement) {
  EXPECT_EQ(AdaptDlError("placement,step_time\n11,1\n102,1\n"),
            "runs.csv, line 3: placement '102' must be digits from 1 to 9, one for each node");
  EXPECT_EQ(AdaptDlError("placement,step_time\n1x,1\n"),
            "runs.csv, line 2: placement '1x' must be digits from 1 to 9, one for each node");
  EXPECT_EQ(AdaptDlError("placement,step_time\n1,1\n\n,1\n"),
            "runs.csv, line 4: the placement is missing");
}

TEST(AdaptDl, WantsNumbersWhereTheyBelong) {
  EXPECT_EQ(AdaptDlError("placement,step_time,sync_time\n1,1,1\n1,slow,1\n"),
            "runs.csv, line 3, column 'step_time': 'slow' is not a number");
  EXPECT_EQ(AdaptDlError("placement,step_time,sync_time\n1,1,x\n"),
            "runs.csv, line 2, column 'sync_time': 'x' is not a number");
  EXPECT_EQ(AdaptDlError("placement,step_time\n1\n"),
            "runs.csv, line 2: 1 cell, expected 2 as in the header");
  ReadOptions options;
  options.category = {"local_bsz"};
  const core::Table table =
      Read("placement,local_bsz,step_time\n1,32,1\n", options, Format::kAdaptDl);
  EXPECT_EQ(table.columns[*table.Find("local_bsz")].kind(), core::ColumnKind::kCategory);
  options = {};
  options.numeric = {"placement"};
  EXPECT_EQ(AdaptDlError("placement,step_time\n1,1\n", options),
            "column 'placement' cannot be both numeric and a category");
}

}  // namespace
}  // namespace reckon::tables
