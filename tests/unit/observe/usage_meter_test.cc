#include "observe/probes/usage_meter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/observe/fake_root.h"

namespace reckon::observe {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;

constexpr double kForEver = 1e18;

std::vector<MeteredNode> FakeNode(const FakeRoot& root) {
  std::vector<MeteredNode> nodes;
  nodes.push_back({"m", NodeProbe::Open({}, root.path()).value()});
  return nodes;
}

// Until so much was measured, or for some seconds.
UsageSummary WaitForSummary(const UsageMeter& meter, double covered_s) {
  for (int i = 0; i < 2000; ++i) {
    const auto summary = meter.Summary("m", 0, kForEver);
    if (summary.ok() && summary->covered_s >= covered_s) return *summary;
    std::this_thread::sleep_for(milliseconds(5));
  }
  return {};
}

TEST(UsageMeterTest, ReadsOnAndOn) {
  FakeRoot root;
  const double begin_s = NodeClock();
  UsageMeter meter(FakeNode(root), milliseconds(5));
  root.Write("proc/stat", "cpu  300 20 30 5000 40 5 6 7 90 3\n");
  // Long enough for readings after that.
  const double enough_s = NodeClock() - begin_s + 0.02;
  const UsageSummary summary = WaitForSummary(meter, enough_s);
  EXPECT_GE(summary.covered_s, enough_s);
  EXPECT_NEAR(summary.cpu_s, 2, 1e-9);
  EXPECT_DOUBLE_EQ(summary.memory.mean, 0.5);
  EXPECT_FALSE(summary.gpu);
}

TEST(UsageMeterTest, NamesAndTimesThatAreNotThere) {
  FakeRoot root;
  const UsageMeter meter(FakeNode(root), milliseconds(5));
  const auto unknown = meter.Summary("n", 0, kForEver);
  ASSERT_FALSE(unknown.ok());
  EXPECT_EQ(unknown.error().code(), base::ErrorCode::kNotFound);
  EXPECT_THAT(unknown.error().Describe(), HasSubstr("no node 'n' is measured; known: m"));
  const auto before = meter.Summary("m", 0, 0.001);
  ASSERT_FALSE(before.ok());
  EXPECT_EQ(before.error().code(), base::ErrorCode::kUnavailable);
}

TEST(UsageMeterTest, NodeThatFailsIsTriedAgain) {
  FakeRoot root;
  auto nodes = FakeNode(root);
  root.Write("proc/stat", "nothing\n");
  const UsageMeter meter(std::move(nodes), milliseconds(5));
  const auto failed = meter.Summary("m", 0, kForEver);
  ASSERT_FALSE(failed.ok());
  EXPECT_THAT(failed.error().Describe(),
              testing::AllOf(HasSubstr("nothing was measured on m"), HasSubstr("proc/stat: ")));
  root.Write("proc/stat", "cpu  1 2 3 4 5 6 7 8\n");
  EXPECT_GE(WaitForSummary(meter, 0.02).covered_s, 0.02);
}

TEST(UsageMeterTest, EndsAtOnce) {
  FakeRoot root;
  const double begin_s = NodeClock();
  { const UsageMeter meter(FakeNode(root), std::chrono::hours(1)); }
  EXPECT_LT(NodeClock() - begin_s, 60);
}

}  // namespace
}  // namespace reckon::observe
