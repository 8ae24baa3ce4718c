#include "watch/run_queue.h"

#include <gmock/gmock.h>

namespace reckon::watch {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<int64_t> Order(const std::vector<QueuePlace>& places) {
  std::vector<int64_t> runs;
  for (const QueuePlace& place : places) runs.push_back(place.run);
  return runs;
}

TEST(RunQueueTest, HigherPrioritiesGoFirstAndOlderRunsBeforeNewerOnes) {
  const auto places = QueueOf({{7, 0, "a"}, {8, 5, "b"}, {9, -1, "a"}, {10, 5, "a"}}, {});
  EXPECT_THAT(Order(places), ElementsAre(8, 10, 7, 9));
  for (const QueuePlace& place : places) EXPECT_EQ(place.why, "");
  EXPECT_THAT(QueueOf({{7, 0, "a", false}}, {}), IsEmpty());
}

TEST(RunQueueTest, LimitsCountWhatIsAtWorkAndWhatGoesFirst) {
  const std::vector<QueuedRun> runs{{1, 0, "a", false}, {2, 0, "a"}, {3, 0, "b"}, {4, 9, "b"}};
  const auto all = QueueOf(runs, {.most_runs = 2});
  ASSERT_THAT(Order(all), ElementsAre(4, 2, 3));
  EXPECT_EQ(all[0].why, "");
  EXPECT_THAT(all[1].why, HasSubstr("2 runs are at work"));
  EXPECT_THAT(all[2].why, HasSubstr("2 runs are at work"));
  const auto each = QueueOf(runs, {.most_runs_per_user = 1});
  EXPECT_EQ(each[0].why, "");
  EXPECT_THAT(each[1].why, HasSubstr("1 of a's runs"));
  EXPECT_THAT(each[2].why, HasSubstr("1 of b's runs"));
}

}  // namespace
}  // namespace reckon::watch
