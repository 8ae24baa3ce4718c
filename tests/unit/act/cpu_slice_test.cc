// On a made-up setting: the machine's own is tried by tests/fault/lab.sh.
#include "act/lab/cpu_slice.h"

#include <fstream>

#include <gtest/gtest.h>

#include "tests/support/temp_folder.h"

namespace reckon::act {
namespace {

class CpuSliceTest : public testing::Test {
 protected:
  CpuSliceTest() { Set("5000\n"); }
  void Set(const std::string& text) { std::ofstream(setting_) << text; }
  std::string Now() const {
    std::ifstream stream(setting_);
    std::string line;
    std::getline(stream, line);
    return line;
  }

  const core::Lab single_{"single", 5, {{"h0", 1, 0, 0}}};
  const core::Lab several_{"several", 5, {{"h0", 1, 0, 0}, {"h1", 2, 0, 0}}};
  support::TempFolder folder_;
  const std::filesystem::path setting_ = folder_ / "slice_us";
  const std::filesystem::path records_ = folder_ / "";
};

TEST_F(CpuSliceTest, HostsOfOneCpuNeedNoOther) {
  ASSERT_TRUE(RefineCpuSlice(single_, setting_, records_).ok());
  EXPECT_EQ(Now(), "5000");
}

TEST_F(CpuSliceTest, IsFineWhileALabNeedsItAndThenAsItWas) {
  ASSERT_TRUE(RefineCpuSlice(several_, setting_, records_).ok());
  EXPECT_EQ(Now(), "500");
  // A second lab does not take the fine one for what was there before.
  ASSERT_TRUE(RefineCpuSlice(several_, setting_, records_).ok());
  ASSERT_TRUE(RestoreCpuSlice(setting_, records_).ok());
  EXPECT_EQ(Now(), "5000");
  Set("3000\n");
  ASSERT_TRUE(RestoreCpuSlice(setting_, records_).ok());
  EXPECT_EQ(Now(), "3000") << "restored once";
}

TEST_F(CpuSliceTest, AFinerOneStays) {
  Set("200\n");
  ASSERT_TRUE(RefineCpuSlice(several_, setting_, records_).ok());
  EXPECT_EQ(Now(), "200");
}

TEST_F(CpuSliceTest, WithoutTheSettingNothingHappens) {
  const auto none = folder_ / "none" / "slice_us";
  EXPECT_TRUE(RefineCpuSlice(several_, none, records_).ok());
  EXPECT_TRUE(RestoreCpuSlice(none, records_).ok());
}

TEST_F(CpuSliceTest, WhatCannotBePutBackIsSaid) {
  ASSERT_TRUE(RefineCpuSlice(several_, setting_, records_).ok());
  const auto gone = folder_ / "none" / "slice_us";
  const auto restored = RestoreCpuSlice(gone, records_);
  ASSERT_FALSE(restored.ok());
  EXPECT_NE(restored.error().Describe().find("back to 5000"), std::string::npos);
}

}  // namespace
}  // namespace reckon::act
