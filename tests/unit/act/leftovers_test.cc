#include "act/local/leftovers.h"

#include <csignal>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "act/local/rank_cgroup.h"
#include "observe/probes/process_tree.h"
#include "tests/support/run_watch.h"

namespace reckon::act {
namespace {

using std::chrono::seconds;

// Where the cgroups of ranks are made; nullopt where they cannot be.
std::optional<std::filesystem::path> ParentOfRankCgroups() {
  const auto group = RankCgroup::Make({}, getpid());
  if (!group) return std::nullopt;
  return std::filesystem::path(group->folder()).parent_path();
}

TEST(LeftoversTest, AreFoundWhenSupervisorAndKeepersWereKilledAtOnce) {
  const auto parent = ParentOfRankCgroups();
  support::TestRun run;
  run.Add("worker", {RECKON_RANK_PROGRAM, "brood"});
  ASSERT_TRUE(run.Start().ok());
  ASSERT_TRUE(run.WaitForState("running"));
  ASSERT_TRUE(support::Within(seconds(5), [&] { return run.Remains().size() >= 4; }));
  EXPECT_EQ(KillLeftovers(run.folder, MarkOf(run.spec), seconds(5)).error().code(),
            base::ErrorCode::kUnavailable);
  const pid_t supervisor = SupervisorPid(run.folder).value();
  std::vector<pid_t> keepers;
  for (const observe::ProcessEntry& process : observe::Descendants(supervisor)) {
    if (process.parent == supervisor) keepers.push_back(process.pid);
  }
  for (const pid_t keeper : keepers) kill(keeper, SIGSTOP);
  kill(supervisor, SIGKILL);
  for (const pid_t keeper : keepers) kill(keeper, SIGKILL);
  ASSERT_TRUE(run.WaitForEnd());
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_FALSE(run.Remains().empty());
  EXPECT_GE(KillLeftovers(run.folder, MarkOf(run.spec), seconds(5)).value(), 2U);
  EXPECT_TRUE(run.Remains().empty());
  EXPECT_EQ(KillLeftovers(run.folder, MarkOf(run.spec), seconds(5)).value(), 0U);
  RemoveAbandonedRankCgroups(run.spec);
  for (const pid_t keeper : keepers) {
    EXPECT_FALSE(parent &&
                 std::filesystem::exists(*parent / fmt::format("reckon-rank-{}", keeper)));
  }
}

}  // namespace
}  // namespace reckon::act
