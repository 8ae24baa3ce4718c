#include "base/parallel.h"

#include <atomic>
#include <chrono>
#include <mutex>
#include <set>
#include <thread>

#include <gtest/gtest.h>

#include "base/rng.h"

namespace reckon::base {
namespace {

TEST(ParallelFor, ResultDoesNotDependOnJobs) {
  const auto run = [](size_t jobs) {
    std::vector<double> slots(500);
    const Status status = ParallelFor(slots.size(), jobs, {}, [&](size_t i) -> Status {
      Rng rng = Rng(1).Fork(i);
      for (int k = 0; k < 100; ++k) slots[i] += rng.Normal();
      return {};
    });
    EXPECT_TRUE(status.ok());
    return slots;
  };
  const std::vector<double> alone = run(1);
  for (const size_t jobs : {2UL, 3UL, 8UL, 1000UL}) EXPECT_EQ(run(jobs), alone) << jobs;
}

TEST(ParallelFor, DoesEveryItemOnce) {
  std::vector<std::atomic<int>> calls(1000);
  EXPECT_TRUE(ParallelFor(calls.size(), 8, {}, [&](size_t i) -> Status {
                ++calls[i];
                return {};
              }).ok());
  for (const std::atomic<int>& count : calls) EXPECT_EQ(count, 1);
}

TEST(ParallelFor, DoesNothingWithoutItems) {
  EXPECT_TRUE(ParallelFor(0, 4, {}, [](size_t) -> Status { return BadInput("called"); }).ok());
}

TEST(ParallelFor, UsesTheCallerAloneForOneJob) {
  const std::thread::id caller = std::this_thread::get_id();
  EXPECT_TRUE(ParallelFor(10, 1, {}, [&](size_t) -> Status {
                return std::this_thread::get_id() == caller ? Status() : BadInput("other thread");
              }).ok());
}

TEST(ParallelFor, UsesSeveralThreads) {
  std::mutex mutex;
  std::set<std::thread::id> threads;
  std::atomic<int> inside{0};
  // Nobody leaves before two are inside: ends only when two threads work at a time.
  EXPECT_TRUE(ParallelFor(2, 2, {}, [&](size_t) -> Status {
                ++inside;
                while (inside < 2) std::this_thread::yield();
                const std::lock_guard lock(mutex);
                threads.insert(std::this_thread::get_id());
                return {};
              }).ok());
  EXPECT_EQ(threads.size(), 2U);
}

TEST(ParallelFor, ReportsTheSmallestFailureWhicheverComesFirst) {
  for (const size_t first : {0UL, 1UL}) {
    std::atomic<int> inside{0};
    std::atomic<bool> first_failed{false};
    const Status status = ParallelFor(2, 2, {}, [&](size_t i) -> Status {
      ++inside;
      while (inside < 2) std::this_thread::yield();
      if (i == first) {
        first_failed = true;
      } else {
        while (!first_failed) std::this_thread::yield();
        // Time for the other to return and to be noted.
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
      }
      return BadInput("item " + std::to_string(i));
    });
    EXPECT_EQ(status.error().message(), "item 0");
  }
}

TEST(ParallelFor, ReportsTheSameFailureForAnyJobs) {
  for (int round = 0; round < 200; ++round) {
    const Status status = ParallelFor(64, 1 + round % 8, {}, [&](size_t i) -> Status {
      if (i == 5) std::this_thread::yield();
      if (i == 5 || i == 6 || i == 40) return BadInput("item " + std::to_string(i));
      return {};
    });
    ASSERT_FALSE(status.ok());
    ASSERT_EQ(status.error().message(), "item 5");
  }
}

TEST(ParallelFor, BeginsNothingAfterAFailure) {
  size_t begun = 0;
  const Status status = ParallelFor(100, 1, {}, [&](size_t i) -> Status {
    ++begun;
    return i == 3 ? Status(BadInput("x")) : Status();
  });
  EXPECT_FALSE(status.ok());
  EXPECT_EQ(begun, 4U);
}

TEST(ParallelFor, StopsWhenAsked) {
  for (const size_t jobs : {1UL, 4UL}) {
    std::stop_source stop;
    std::atomic<size_t> begun{0};
    const Status status = ParallelFor(100000, jobs, stop.get_token(), [&](size_t i) -> Status {
      ++begun;
      if (i == 10) stop.request_stop();
      return {};
    });
    ASSERT_FALSE(status.ok());
    EXPECT_EQ(status.error().code(), ErrorCode::kInterrupted);
    EXPECT_LT(begun, 100000U);
  }
}

TEST(ParallelFor, DoesNotBeginWhenStoppedBefore) {
  std::stop_source stop;
  stop.request_stop();
  const Status status =
      ParallelFor(3, 2, stop.get_token(), [](size_t) -> Status { return BadInput("called"); });
  EXPECT_EQ(status.error().code(), ErrorCode::kInterrupted);
}

TEST(ParallelFor, AStopAfterTheLastItemIsNoInterruption) {
  std::stop_source stop;
  EXPECT_TRUE(ParallelFor(3, 1, stop.get_token(), [&](size_t i) -> Status {
                if (i == 2) stop.request_stop();
                return {};
              }).ok());
}

TEST(ParallelFor, AFailureWinsOverAStop) {
  std::stop_source stop;
  const Status status = ParallelFor(10, 1, stop.get_token(), [&](size_t) -> Status {
    stop.request_stop();
    return BadInput("failed");
  });
  EXPECT_EQ(status.error().code(), ErrorCode::kBadInput);
}

TEST(ParallelForDeathTest, NeedsAJob) {
  EXPECT_DEATH(static_cast<void>(ParallelFor(1, 0, {}, [](size_t) { return Status(); })),
               "check failed");
}

}  // namespace
}  // namespace reckon::base
