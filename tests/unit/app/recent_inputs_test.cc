#include "app/publish/recent_inputs.h"

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "tests/support/temp_folder.h"

namespace reckon::app {
namespace {

using base::ErrorCode;
using testing::HasSubstr;

class RecentInputsTest : public testing::Test {
 protected:
  RecentInputs Open() const { return RecentInputs::Open(file_).value(); }

  const support::TempFolder folder_;
  const std::filesystem::path file_ = folder_ / "camera.jsonl";
};

TEST_F(RecentInputsTest, AnswersAndTheirLabelsComeBack) {
  {
    RecentInputs recent = Open();
    EXPECT_EQ(recent.Add(1, 3, std::string("\0\xff\x10", 3)).value(), 1);
    EXPECT_EQ(recent.Add(1, 4, "b").value(), 2);
    EXPECT_EQ(recent.Add(2, 5, "c").value(), 3);
    ASSERT_TRUE(recent.Label(1, 3).ok());
    ASSERT_TRUE(recent.Label(2, 9).ok());
    EXPECT_EQ(recent.Label(4, 1).error().code(), ErrorCode::kNotFound);
  }
  RecentInputs recent = Open();
  EXPECT_EQ(recent.JudgedOf(1).count, 2);
  EXPECT_EQ(recent.JudgedOf(1).Accuracy(), 0.5);
  EXPECT_EQ(recent.JudgedOf(2).Accuracy(), std::nullopt) << "nobody has judged its answers";
  ASSERT_TRUE(recent.Label(2, 4).ok());
  EXPECT_EQ(recent.JudgedOf(1).Accuracy(), 1) << "who has erred may say so";
  ASSERT_EQ(recent.Labelled(0, 10).size(), 2U);
  EXPECT_EQ(recent.Labelled(0, 10)[0].pixels, std::string("\0\xff\x10", 3));
  EXPECT_EQ(recent.Labelled(0, 1).size(), 1U);
  EXPECT_EQ(recent.Labelled(1, 10)[0].id, 2);
  EXPECT_EQ(recent.Add(2, 5, "d").value(), 4) << "ids go on";
}

TEST_F(RecentInputsTest, OnlyTheNewestAreKept) {
  RecentInputs recent = Open();
  constexpr auto kMost = static_cast<int64_t>(RecentInputs::kMost);
  for (int64_t i = 1; i <= 5 * kMost; ++i) {
    ASSERT_TRUE(recent.Add(1, 0, "x").ok());
    if (i % 10 == 0) {
      ASSERT_TRUE(recent.Label(i, 0).ok());
    }
  }
  EXPECT_EQ(recent.Label(4 * kMost, 1).error().code(), ErrorCode::kNotFound);
  EXPECT_TRUE(recent.Label(4 * kMost + 1, 1).ok());
  EXPECT_EQ(recent.JudgedOf(1).count, kMost / 10 + 1);
  EXPECT_LT(std::filesystem::file_size(file_), 400'000U) << "and the file stays small";
  EXPECT_EQ(Open().JudgedOf(1).count, kMost / 10 + 1);
}

TEST_F(RecentInputsTest, AnEndThatWasBeingWrittenIsLeftOutAndDamageIsSaid) {
  {
    RecentInputs recent = Open();
    ASSERT_TRUE(recent.Add(1, 3, "a").ok());
  }
  std::ofstream(file_, std::ios::app) << R"({"id": 2, "vers)";
  {
    RecentInputs recent = Open();
    EXPECT_EQ(recent.Add(1, 3, "b").value(), 2);
  }
  EXPECT_EQ(Open().Add(1, 3, "c").value(), 3);
  ASSERT_TRUE(base::WriteFile(file_, "{\"id\": 1, \"pixels\": \"x\"}\n").ok());
  const auto damaged = RecentInputs::Open(file_);
  ASSERT_FALSE(damaged.ok());
  EXPECT_EQ(damaged.error().code(), ErrorCode::kCorrupt);
  EXPECT_THAT(damaged.error().Describe(), HasSubstr("line 1"));
}

TEST(HexTest, BytesComeBack) {
  std::string all;
  for (int i = 0; i < 256; ++i) all.push_back(static_cast<char>(i));
  EXPECT_EQ(BytesOfHex(HexOf(all)), all);
  EXPECT_EQ(HexOf("\x0f\xa0"), "0fa0");
  EXPECT_EQ(BytesOfHex("0g"), std::nullopt);
  EXPECT_EQ(BytesOfHex("abc"), std::nullopt);
}

}  // namespace
}  // namespace reckon::app
