#include "learn/dataset.h"

#include <cmath>

#include <gmock/gmock.h>

#include "tests/support/data.h"

namespace reckon::learn {
namespace {

using support::AddCategories;
using support::NumberTable;
using ::testing::HasSubstr;

TEST(DatasetTest, TakesNumbersAndCategories) {
  core::Table table = NumberTable({{"workers", {1, 2, 4}}, {"y", {10, 6, 4}}});
  AddCategories(table, "gpu", {"k80", "v100"}, {0, 1, 1});
  const Dataset data = BuildDataset(table, {.target = "y", .ignore = {}}).value();
  EXPECT_THAT(data.schema.Names(), ::testing::ElementsAre("workers", "gpu"));
  EXPECT_EQ(data.schema.inputs[0].max, 4);
  EXPECT_EQ(data.schema.inputs[1].typical, 1);
  EXPECT_EQ(data.x(2, 1), 1);
  EXPECT_EQ(data.y(2), 4);
}

TEST(DatasetTest, ConstantsStayForTheSupportAndIdentifiersAreLeftOut) {
  core::Table table = NumberTable({{"workers", {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}},
                                   {"same", std::vector<double>(10, 7)},
                                   {"y", {10, 6, 4, 3, 2, 2, 2, 1, 1, 1}}});
  AddCategories(table, "id", {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"},
                {0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
  const Dataset data = BuildDataset(table, {.target = "y", .ignore = {}}).value();
  EXPECT_THAT(data.schema.Names(), ::testing::ElementsAre("workers", "same"));
  EXPECT_FALSE(data.schema.inputs[1].Varies());
  EXPECT_THAT(data.notes, ::testing::UnorderedElementsAre(HasSubstr("'same'"), HasSubstr("'id'")));
  // A question need not repeat the constant.
  const core::Table question = NumberTable({{"workers", {3}}});
  EXPECT_EQ(EncodeInputs(question, data.schema).value().x(0, 1), 7);
}

TEST(DatasetTest, FillsMissingCellsOrDropsOrRefuses) {
  core::Table table = NumberTable({{"workers", {1, NAN, 4, 8}}, {"y", {10, 6, 4, 2}}});
  const Dataset filled = BuildDataset(table, {.target = "y", .ignore = {}}).value();
  EXPECT_EQ(filled.x(1, 0), 4);
  const Dataset dropped =
      BuildDataset(table, {.target = "y", .ignore = {}, .missing = MissingPolicy::kDrop}).value();
  EXPECT_EQ(dropped.rows(), 3);
  EXPECT_THAT(dropped.table_rows, ::testing::ElementsAre(0, 2, 3));
  const auto refused =
      BuildDataset(table, {.target = "y", .ignore = {}, .missing = MissingPolicy::kRefuse});
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().message(), HasSubstr("row 2"));
}

TEST(DatasetTest, LevelsWithoutRowsAreNotKnownToTheModel) {
  core::Table table = NumberTable({{"workers", {1, 2, 4, 8}}, {"y", {10, 6, 4, 2}}});
  AddCategories(table, "gpu", {"a", "b", "c"}, {0, 2, 2, 1});
  const std::vector<size_t> rows{0, 1, 2};
  const Dataset data = BuildDataset(table.Select(rows), {.target = "y", .ignore = {}}).value();
  EXPECT_THAT(data.schema.inputs[1].levels, ::testing::ElementsAre("a", "c"));
  EXPECT_EQ(data.x(2, 1), 1);
  const EncodedInputs encoded = EncodeInputs(table, data.schema).value();
  EXPECT_EQ(encoded.x(3, 1), -1);
  EXPECT_THAT(encoded.problems[3], ::testing::ElementsAre(HasSubstr("never measured")));
}

TEST(DatasetTest, SubsetTakesRangesFromItsRows) {
  const core::Table table = NumberTable({{"w", {1, 2, 4, 8}}, {"y", {10, 6, 4, 2}}});
  const std::vector<size_t> rows{1, 2};
  const Dataset part = support::MakeDataset(table, "y").Subset(rows);
  EXPECT_EQ(part.schema.inputs[0].min, 2);
  EXPECT_EQ(part.schema.inputs[0].max, 4);
}

}  // namespace
}  // namespace reckon::learn
