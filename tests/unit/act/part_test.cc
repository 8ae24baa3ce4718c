// One node's part of a run on many nodes: it waits for orders, and what it cannot know it leaves to
// who gives them.
#include <csignal>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "act/local/leftovers.h"
#include "act/local/part_orders.h"
#include "act/local/supervisor.h"
#include "tests/support/run_watch.h"

namespace reckon::act {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using support::TestRun;
using support::Within;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::string PartStates(const TestRun& run) {
  std::string states;
  for (const base::Json& event : run.Events("part.state")) {
    states += (states.empty() ? "" : " ") + event.value("state", "");
  }
  return states;
}

bool WaitForPartState(const TestRun& run, const std::string& state) {
  return Within(seconds(20), [&] { return PartStates(run).find(state) != std::string::npos; });
}

TEST(PartOrdersTest, AreReadAsTheyWereWritten) {
  const support::TempFolder folder;
  const RunFolder part(folder.path());
  EXPECT_FALSE(ReadOrders(part).value().go);
  ASSERT_TRUE(WriteOrders(part, {.go = true}).ok());
  EXPECT_TRUE(ReadOrders(part).value().go);
  EXPECT_FALSE(ReadOrders(part).value().release);
  ASSERT_TRUE(WriteOrders(part, {.go = true, .release = true, .training = Stretch{2, 3.5}}).ok());
  EXPECT_TRUE(ReadOrders(part).value().release);
  EXPECT_EQ(ReadOrders(part).value().training->to, 3.5);
  EXPECT_EQ(ReadOrders(part).value().ending, "");
  ASSERT_TRUE(WriteOrders(part, {.go = true, .ending = "a plateau"}).ok());
  EXPECT_EQ(ReadOrders(part).value().ending, "a plateau");
  for (const char* wrong :
       {"", "[]", "{\"go\": 1}", "{\"ending\": 1}", "{\"training\": {\"from\": 1}}"}) {
    ASSERT_TRUE(base::WriteFile(part.orders(), wrong).ok());
    EXPECT_EQ(ReadOrders(part).error().code(), base::ErrorCode::kCorrupt) << wrong;
  }
}

TEST(PartTest, ARunIsSplitByHosts) {
  TestRun run;
  run.spec.store = "reckon.db";
  run.Script("server", "true").place.host = "h0";
  run.Script("worker", "true").place.host = "h1";
  run.Script("worker", "true").place.host = "h0";
  const std::vector<LaunchSpec> parts = PartsOf(run.spec);
  ASSERT_EQ(parts.size(), 2U);
  EXPECT_EQ(parts[0].part, "h0");
  ASSERT_EQ(parts[0].processes.size(), 2U);
  EXPECT_EQ(ProcessName(parts[0].processes[1]), "worker 1");
  EXPECT_EQ(parts[1].processes.size(), 1U);
  EXPECT_EQ(parts[1].token, run.spec.token);
  EXPECT_EQ(parts[1].store, "");
  // Each of them is a spec of its own, also one without a worker.
  LaunchSpec servers = parts[0];
  servers.processes.pop_back();
  EXPECT_EQ(LaunchSpecFromJson(ToJson(servers)).value().part, "h0");
  servers.part.clear();
  EXPECT_THAT(LaunchSpecFromJson(ToJson(servers)).error().Describe(), HasSubstr("a worker in it"));
}

TEST(PartTest, NothingStartsBeforeGoAndServersStayUntilTheyAreReleased) {
  TestRun run;
  run.spec.part = "h0";
  run.Script("server", "trap 'echo leaving; exit 0' TERM; while :; do sleep 0.05; done");
  run.Script("worker", "exit 0");
  ASSERT_TRUE(run.Start().ok());
  ASSERT_TRUE(run.WaitForEvent("background.settled"));
  std::this_thread::sleep_for(milliseconds(300));
  EXPECT_THAT(run.Events("rank.started"), IsEmpty());
  ASSERT_TRUE(WriteOrders(run.folder, {.go = true}).ok());
  ASSERT_TRUE(run.WaitForEvent("rank.started", 2));
  ASSERT_TRUE(run.WaitForEvent("rank.ended"));  // the only worker here; there may be others
  std::this_thread::sleep_for(milliseconds(700));
  EXPECT_EQ(run.Events("rank.ended").size(), 1U);
  EXPECT_EQ(PartStates(run), "starting running");
  ASSERT_TRUE(WriteOrders(run.folder, {.go = true, .release = true}).ok());
  ASSERT_TRUE(run.WaitForEnd());
  EXPECT_EQ(PartStates(run), "starting running finished");
  EXPECT_THAT(run.Events("run.state"), IsEmpty());
  EXPECT_THAT(run.Log("server-0.log"), HasSubstr("leaving"));
  EXPECT_THAT(run.Remains(), IsEmpty());
}

TEST(PartTest, FailuresAndStopsEndItWithoutOrders) {
  {
    TestRun run;
    run.spec.part = "h0";
    run.Script("worker", "exit 3");
    ASSERT_TRUE(WriteOrders(run.folder, {.go = true}).ok());
    ASSERT_TRUE(run.Start().ok());
    ASSERT_TRUE(run.WaitForEnd());
    EXPECT_EQ(PartStates(run), "starting running failed");
  }
  TestRun run;
  run.spec.part = "h0";
  run.Script("worker", "sleep 100");
  ASSERT_TRUE(run.Start().ok());
  ASSERT_TRUE(run.WaitForEvent("background.settled"));
  ASSERT_TRUE(RequestStop(run.folder).ok());
  ASSERT_TRUE(run.WaitForEnd());
  EXPECT_EQ(PartStates(run), "starting stopping stopped");
  EXPECT_THAT(run.Events("rank.started"), IsEmpty());
}

TEST(PartTest, APartIsCarriedOutOnce) {
  TestRun run;
  run.spec.part = "h0";
  run.Script("worker", "echo once >> " + (run.folder.path / "count").string());
  ASSERT_TRUE(WriteOrders(run.folder, {.go = true}).ok());
  ASSERT_TRUE(run.Start().ok());
  ASSERT_TRUE(run.WaitForEvent("rank.ended"));
  ASSERT_TRUE(WriteOrders(run.folder, {.go = true, .release = true}).ok());
  ASSERT_TRUE(run.WaitForEnd());
  EXPECT_EQ(run.Log("count"), "once\n");
  (void)run.Start();  // which may take the lock before it sees that
  ASSERT_TRUE(run.WaitForEnd());
  EXPECT_EQ(run.Log("count"), "once\n");
}

// Parts of one run share its token; on a machine with several emulated hosts they share it all.
TEST(PartTest, LeftoversOfAPartAreItsOwn) {
  TestRun first;
  TestRun second;
  second.spec.token = first.spec.token;
  first.spec.part = "h0";
  second.spec.part = "h1";
  for (TestRun* run : {&first, &second}) {
    run->Script("worker", "sleep 100");
    ASSERT_TRUE(WriteOrders(run->folder, {.go = true}).ok());
    ASSERT_TRUE(run->Start().ok());
    ASSERT_TRUE(WaitForPartState(*run, "running"));
  }
  kill(SupervisorPid(first.folder).value(), SIGKILL);
  ASSERT_TRUE(first.WaitForEnd());
  ASSERT_TRUE(KillLeftovers(first.folder, MarkOf(first.spec), seconds(10)).ok());
  ASSERT_TRUE(Within(seconds(10), [&] { return first.Remains().empty(); }));
  EXPECT_FALSE(second.Remains().empty());
  EXPECT_EQ(PartStates(second), "starting running");
}

}  // namespace
}  // namespace reckon::act
