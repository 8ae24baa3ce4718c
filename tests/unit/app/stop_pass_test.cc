#include "app/runs/stop_pass.h"

#include <atomic>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <thread>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/temp_folder.h"

namespace reckon::app {
namespace {

// A process that holds the lock of a run's folder, as its supervisor does, and ends with SIGTERM.
class FakeSupervisor {
 public:
  explicit FakeSupervisor(const act::RunFolder& folder) : child_(fork()) {
    if (child_ != 0) {
      while (!act::SupervisorLives(folder).value()) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
      return;
    }
    (void)signal(SIGTERM, SIG_DFL);
    const auto lock = act::RunLock::Take(folder);
    for (;;) pause();
  }
  ~FakeSupervisor() { Kill(); }
  FakeSupervisor(const FakeSupervisor&) = delete;
  FakeSupervisor& operator=(const FakeSupervisor&) = delete;

  bool Lives() const {
    return kill(child_, 0) == 0 && waitid(P_PID, child_, &info_, kLook) == 0 && info_.si_pid == 0;
  }
  void Kill() {
    kill(child_, SIGKILL);
    waitpid(child_, nullptr, 0);
  }

 private:
  static constexpr int kLook = WEXITED | WNOHANG | WNOWAIT;
  pid_t child_;
  mutable siginfo_t info_{};
};

bool EndsSoon(const FakeSupervisor& supervisor) {
  for (int i = 0; i < 2000 && supervisor.Lives(); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return !supervisor.Lives();
}

TEST(StopPassTest, ARequestWaitsForARunThatIsBeingStarted) {
  const support::TempFolder temp;
  const act::RunFolder folder(temp.path());
  std::stop_source source;
  StopPass pass(source.get_token());
  std::atomic<bool> returned = false;
  std::jthread asks;
  {
    StopPass::Starting starting(pass);
    asks = std::jthread([&] {
      source.request_stop();
      returned = true;
    });
    while (!source.stop_requested()) std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    EXPECT_FALSE(returned) << "a second Ctrl-C would end us before the supervisor was asked";
    starting.Started(folder);
  }
  asks.join();
  EXPECT_TRUE(returned);
}

TEST(StopPassTest, TheSupervisorIsAskedAsSoonAsItCanHear) {
  const support::TempFolder temp;
  const act::RunFolder folder(temp.path());
  const FakeSupervisor supervisor(folder);
  std::stop_source source;
  StopPass pass(source.get_token());
  std::jthread asks;
  {
    StopPass::Starting starting(pass);
    asks = std::jthread([&] { source.request_stop(); });
    while (!source.stop_requested()) std::this_thread::yield();
    EXPECT_TRUE(supervisor.Lives());
    starting.Started(folder);
  }
  EXPECT_TRUE(EndsSoon(supervisor));
}

TEST(StopPassTest, ARunThatHasStartedIsAskedAtOnce) {
  const support::TempFolder temp;
  const act::RunFolder folder(temp.path());
  const FakeSupervisor supervisor(folder);
  std::stop_source source;
  StopPass pass(source.get_token());
  StopPass::Starting(pass).Started(folder);
  source.request_stop();
  EXPECT_TRUE(EndsSoon(supervisor));
}

TEST(StopPassTest, WhatFailedToStartIsNotAsked) {
  const support::TempFolder temp;
  const FakeSupervisor supervisor{act::RunFolder(temp.path())};
  std::stop_source source;
  source.request_stop();
  StopPass late(source.get_token());  // returns although nothing was started
  { const StopPass::Starting starting(late); }
  EXPECT_TRUE(supervisor.Lives());
}

}  // namespace
}  // namespace reckon::app
