#include "store/sample_codec.h"

#include <gtest/gtest.h>

#include "tests/unit/store/support.h"

namespace reckon::store::testing {
namespace {

// The format is a promise to stores that exist already: a change needs a migration.
TEST(SampleCodecTest, TheTextIsAsDocumented) {
  core::Table table = MakeTable(4);
  EXPECT_EQ(*EncodeColumns(table), R"([{"name":"workers","kind":"number","width":"int16"},)"
                                   R"({"name":"epoch_s","kind":"number","width":"double"},)"
                                   R"({"name":"machine","kind":"category","width":"int16",)"
                                   R"("levels":["m5.large","c5.large"]}])");
  std::string cells;
  EncodeCells(table, 1, cells);
  EXPECT_EQ(cells, "[1,0.25,1]");
  EncodeCells(table, 3, cells);
  EXPECT_EQ(cells, "[3,null,1]");
}

TEST(SampleCodecTest, NumbersAreShortAndReadable) {
  core::Table table;
  table.row_count = 1;
  for (const double number : {100000.0, 1e15, -0.0, 0.1, 1e-7, 5e-324}) {
    table.columns.push_back(core::Column::Numbers("x", core::NumberVector::Of({number})));
  }
  std::string cells;
  EncodeCells(table, 0, cells);
  EXPECT_EQ(cells, "[100000,1e+15,-0,0.1,1e-07,5e-324]");
}

TEST(SampleCodecTest, BytesThatAreNoUtf8AreWrittenInHex) {
  core::Table table;
  table.columns.push_back(
      core::Column::Numbers("\xff"
                            "A",
                            {}));
  EXPECT_EQ(*EncodeColumns(table), R"([{"name":{"hex":"ff41"},"kind":"number","width":"int16"}])");
}

TEST(SampleCodecTest, EveryRowIsNeeded) {
  auto decoder = TableDecoder::Create("[]", 2);
  ASSERT_TRUE(decoder.ok());
  ASSERT_TRUE(decoder->SetRow(0, "[]").ok());
  EXPECT_FALSE(decoder->SetRow(2, "[]").ok());
  EXPECT_EQ(std::move(*decoder).Finish().error().code(), base::ErrorCode::kCorrupt);
}

}  // namespace
}  // namespace reckon::store::testing
