// What is measured of ranks, by ranks whose use is known.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "tests/support/run_watch.h"

namespace reckon::act {
namespace {

using support::TestRun;

base::Json LastUsage(const TestRun& run, const std::string& role) {
  base::Json last;
  for (const base::Json& event : run.Events("rank.usage")) {
    if (event.at("role") == role) last = event;
  }
  return last;
}

TEST(UsageTest, CpuOfAGrandchild) {
  TestRun run;
  run.Add("worker", {RECKON_RANK_PROGRAM, "burn", "1"});
  ASSERT_TRUE(run.Start().ok());
  ASSERT_TRUE(run.WaitForEnd());
  const base::Json usage = LastUsage(run, "worker");
  EXPECT_NEAR(usage.at("cpu_s").get<double>(), 1, 0.15) << usage;
  EXPECT_GE(usage.at("wall_s").get<double>(), 0.95) << usage;
}

TEST(UsageTest, CpuOfChildrenNobodyWaitsFor) {
  if (geteuid() != 0) GTEST_SKIP() << "needs cgroups of its own";
  TestRun run;
  run.Add("worker", {RECKON_RANK_PROGRAM, "abandon", "0.5"});
  ASSERT_TRUE(run.Start().ok());
  ASSERT_TRUE(run.WaitForEnd());
  EXPECT_NEAR(LastUsage(run, "worker").at("cpu_s").get<double>(), 0.5, 0.1);
}

TEST(UsageTest, PeakMemoryOfShortAndLongHolders) {
  for (const char* seconds : {"0", "1.5"}) {
    TestRun run;
    run.Add("worker", {RECKON_RANK_PROGRAM, "hold", "200000000", seconds});
    ASSERT_TRUE(run.Start().ok());
    ASSERT_TRUE(run.WaitForEnd());
    const auto peak = LastUsage(run, "worker").at("peak_memory_bytes").get<double>();
    EXPECT_GE(peak, 2e8);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // these need more of their own
    EXPECT_LE(peak, 2.2e8);
#endif
  }
}

TEST(UsageTest, WhatAGrandchildWritesToDisk) {
  TestRun run;
  // The shell waits for it and ends, so that the bytes come home by two accounts.
  run.Script("worker",
             "(dd if=/dev/zero of=written bs=1M count=8 conv=fdatasync status=none); rm written");
  ASSERT_TRUE(run.Start().ok());
  ASSERT_TRUE(run.WaitForEnd());
  EXPECT_EQ(run.States(), "starting running finished");
  const base::Json usage = LastUsage(run, "worker");
  EXPECT_GE(usage.at("disk_written_bytes").get<double>(), 8 * 1024 * 1024) << usage;
  EXPECT_LE(usage.at("disk_written_bytes").get<double>(), 12 * 1024 * 1024) << usage;
}

TEST(UsageTest, PercentilesOfWhatIsUsedOverTime) {
  TestRun run;
  run.Add("worker", {RECKON_RANK_PROGRAM, "hold", "200000000", "3.5"});
  ASSERT_TRUE(run.Start().ok());
  ASSERT_TRUE(run.WaitForEnd());
  const base::Json usage = LastUsage(run, "worker");
  EXPECT_GE(usage.at("memory_p95_bytes").get<double>(), 2e8) << usage;
  EXPECT_GE(usage.at("memory_mean_bytes").get<double>(), 1e8) << usage;
  // All readings may be the same, and their sum is rounded.
  EXPECT_LE(usage.at("memory_mean_bytes").get<double>(),
            usage.at("memory_p95_bytes").get<double>() * (1 + 1e-9));
  EXPECT_LT(usage.at("cpu_p95_cores").get<double>(), 1.1) << usage;
}

TEST(UsageTest, BytesOfConnectionsThatEndAtOnce) {
  if (geteuid() != 0) GTEST_SKIP() << "needs cgroups of its own";
  for (int round = 0; round < 3; ++round) {
    TestRun run;
    run.Add("server", {RECKON_RANK_PROGRAM, "receive", "port", "10000000"});
    run.Add("worker", {RECKON_RANK_PROGRAM, "send", "port", "10000000"});
    ASSERT_TRUE(run.Start().ok());
    ASSERT_TRUE(run.WaitForEnd());
    EXPECT_EQ(run.States(), "starting running finished");
    const base::Json sender = LastUsage(run, "worker");
    const base::Json receiver = LastUsage(run, "server");
    EXPECT_NEAR(sender.at("bytes_sent").get<double>(), 1e7, 1e5) << sender;
    EXPECT_LE(sender.at("bytes_received").get<double>(), 10) << sender;
    EXPECT_NEAR(receiver.at("bytes_received").get<double>(), 1e7, 1e5) << receiver;
    EXPECT_LE(receiver.at("bytes_sent").get<double>(), 10) << receiver;
    EXPECT_EQ(sender.at("complete"), true);
    EXPECT_EQ(receiver.at("complete"), true);
  }
}

}  // namespace
}  // namespace reckon::act
