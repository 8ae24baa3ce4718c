#include "base/interrupt.h"

#include <chrono>
#include <latch>
#include <thread>

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

namespace reckon::base {
namespace {

bool Within5s(const std::stop_token& token) {
  for (int i = 0; i < 500 && !token.stop_requested(); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return token.stop_requested();
}

TEST(InterruptWatchTest, ASignalAsksForAStop) {
  const InterruptWatch watch(InterruptWatch::Second::kIgnored);
  EXPECT_FALSE(watch.token().stop_requested());
  ASSERT_EQ(kill(getpid(), SIGTERM), 0);
  EXPECT_TRUE(Within5s(watch.token()));
  ASSERT_EQ(kill(getpid(), SIGTERM), 0);  // and a second one changes nothing
}

// Libraries make threads before main, as OpenBLAS does: those take every signal.
TEST(InterruptWatchTest, AlsoOneThatAnEarlierThreadTakes) {
  sigset_t watched;
  sigemptyset(&watched);
  sigaddset(&watched, SIGTERM);
  std::latch ready(1);
  std::jthread earlier([&](const std::stop_token& end) {
    pthread_sigmask(SIG_UNBLOCK, &watched, nullptr);
    ready.count_down();
    while (!end.stop_requested()) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  });
  ready.wait();
  const InterruptWatch watch(InterruptWatch::Second::kIgnored);
  for (int i = 0; i < 3; ++i) ASSERT_EQ(kill(getpid(), SIGTERM), 0);
  ASSERT_EQ(pthread_kill(earlier.native_handle(), SIGTERM), 0);
  EXPECT_TRUE(Within5s(watch.token()));
}

}  // namespace
}  // namespace reckon::base
