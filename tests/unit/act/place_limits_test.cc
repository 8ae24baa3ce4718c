#include "act/local/place_limits.h"

#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/run_watch.h"
#include "tests/support/temp_folder.h"

namespace reckon::act {
namespace {

using testing::HasSubstr;

class PlaceLimitsTest : public ::testing::Test {
 protected:
  void Write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
  }
  Place place() const { return {"h0", "127.0.0.1", "", {folder_.path().string()}}; }

  support::TempFolder folder_;
};

TEST_F(PlaceLimitsTest, NamesWhatChanged) {
  Write("cpu.max", "4000 20000\n");
  Write("memory.max", "max\n");
  const PlaceLimits limits(place());
  EXPECT_EQ(limits.Changed(), "");
  Write("memory.max", "4096\n");
  EXPECT_THAT(limits.Changed(), HasSubstr("memory.max is '4096' instead of 'max'"));
  Write("memory.max", "max\n");
  std::filesystem::remove(folder_ / "cpu.max");
  EXPECT_THAT(limits.Changed(), HasSubstr("cpu.max is gone"));
}

TEST_F(PlaceLimitsTest, CountsKillsForWantOfMemory) {
  for (const char* file : {"memory.events", "memory.oom_control"}) {
    Write("memory.max", "64000000\n");
    Write(file, "low 0\noom 3\noom_kill 2\noom_group_kill 0\n");
    const PlaceLimits limits(place());
    EXPECT_EQ(limits.OutOfMemory(), "");
    Write(file, "low 0\noom 4\noom_kill 3\noom_group_kill 0\n");
    EXPECT_EQ(limits.OutOfMemory(), "host h0 ran out of its memory of 64 MB") << file;
    Write(file, "");
  }
}

// Here the files are plain ones, and so is cgroup.procs.
TEST_F(PlaceLimitsTest, ARankWithoutItsShareHasNotSucceeded) {
  Write("cgroup.procs", "");
  Write("cpu.max", "4000 20000\n");
  support::TestRun run;
  const std::string remove = "rm " + (folder_ / "cpu.max").string();
  run.Script("worker", remove).place = place();
  ASSERT_TRUE(run.Start().ok());
  ASSERT_TRUE(run.WaitForEnd());
  EXPECT_EQ(run.States(), "starting running failed");
  EXPECT_THAT(run.Reason(), HasSubstr("worker 0 lost its share of host h0 while it ran: "));
  EXPECT_THAT(run.Reason(), HasSubstr("cpu.max is gone"));
}

TEST_F(PlaceLimitsTest, AKillForWantOfMemoryIsTheReason) {
  Write("cgroup.procs", "");
  Write("memory.max", "64000000\n");
  Write("memory.events", "oom_kill 0\n");
  support::TestRun run;
  run.Script("worker", "echo oom_kill 1 > " + (folder_ / "memory.events").string() + "; kill -9 $$")
      .place = place();
  ASSERT_TRUE(run.Start().ok());
  ASSERT_TRUE(run.WaitForEnd());
  EXPECT_EQ(run.Reason(),
            "worker 0 was killed by signal 9 (SIGKILL); host h0 ran out of its memory of 64 MB");
}

}  // namespace
}  // namespace reckon::act
