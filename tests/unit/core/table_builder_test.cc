#include "core/table_builder.h"

#include <cmath>
#include <limits>

#include <gmock/gmock.h>

namespace reckon::core {
namespace {

using ::testing::ElementsAre;

TEST(TableBuilderTest, ColumnsComeAsTheyAppearAndMissingCellsStayMissing) {
  TableBuilder builder;
  builder.AddRow({{"workers", 2.0}, {"network", "mlp"}});
  builder.AddRow({{"workers", 4.0}, {"time_s", 1.5}});
  builder.AddRow({{"time_s", std::numeric_limits<double>::infinity()}, {"network", "lenet5"}});
  const Table table = std::move(builder).Finish("runs");
  EXPECT_EQ(table.source, "runs");
  EXPECT_EQ(table.row_count, 3);
  EXPECT_THAT(table.Names(), ElementsAre("workers", "network", "time_s"));
  EXPECT_EQ(table.columns[0][1], 4);
  EXPECT_TRUE(std::isnan(table.columns[0][2]));
  EXPECT_THAT(table.columns[1].levels(), ElementsAre("mlp", "lenet5"));
  EXPECT_EQ(table.columns[1].Text(1), "");
  EXPECT_EQ(table.columns[1].Text(2), "lenet5");
  EXPECT_EQ(table.columns[2].Text(1), "1.5");
  EXPECT_TRUE(std::isnan(table.columns[2][2]));
}

TEST(TableBuilderTest, NumbersAndTextsTogetherAreCategories) {
  TableBuilder builder;
  builder.AddRow({{"hidden", 512.0}});
  builder.AddRow({{"hidden", "512,256"}});
  builder.AddRow({{"hidden", 512.0}});
  const Table table = std::move(builder).Finish("");
  EXPECT_EQ(table.columns[0].kind(), ColumnKind::kCategory);
  EXPECT_THAT(table.columns[0].levels(), ElementsAre("512", "512,256"));
  EXPECT_EQ(table.columns[0][2], 0);
}

TEST(TableBuilderTest, TablesGoUnderEachOther) {
  TableBuilder first;
  first.AddRow({{"a", 1.0}, {"b", "x"}});
  const Table top = std::move(first).Finish("");
  TableBuilder second;
  second.AddRow({{"b", "y"}, {"c", 0.1}});
  second.AddRow({{"b", "x"}});
  const Table bottom = std::move(second).Finish("");
  TableBuilder both;
  both.AddTable(top);
  both.AddTable(bottom);
  const Table table = std::move(both).Finish("");
  EXPECT_EQ(table.row_count, 3);
  EXPECT_THAT(table.Names(), ElementsAre("a", "b", "c"));
  EXPECT_THAT(table.columns[1].levels(), ElementsAre("x", "y"));
  EXPECT_EQ(table.columns[1][2], 0);
  EXPECT_EQ(table.columns[2].Text(1), "0.1");
  EXPECT_TRUE(std::isnan(table.columns[0][1]));
}

}  // namespace
}  // namespace reckon::core
