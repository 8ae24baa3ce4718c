#include "observe/stress/stress.h"

#include <array>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/rng.h"
#include "observe/probes/process_tree.h"
#include "observe/stress/duty_cycle.h"
#include "observe/stress/options.h"
#include "observe/stress/process_use.h"
#include "observe/stress/rate_control.h"
#include "observe/stress/stressor.h"
#include "tests/support/sanitized.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/observe/fake_root.h"

namespace reckon::observe {
namespace {

using ::testing::HasSubstr;

// Work that runs at a speed that depends on the time, while it may.
class Plant {
 public:
  Plant(RateControl control, std::function<double(double)> speed)
      : control_(control), speed_(std::move(speed)) {}

  // How much it did a second.
  double Run(double seconds) {
    double done = 0;
    for (const double end = now_ + seconds; now_ < end;) {
      const double pause = control_.PauseS();
      EXPECT_GE(pause, 0.001);
      EXPECT_LE(pause, 0.05);
      double used = 0;
      constexpr int kParts = 50;
      for (int i = 0; i < kParts; ++i) {
        if (on_) used += speed_(now_) * pause / kParts;
        now_ += pause / kParts;
      }
      done += used;
      on_ = control_.Step(pause, used);
      switches_ += on_ != was_on_ ? 1 : 0;
      was_on_ = on_;
    }
    return done / seconds;
  }
  int switches() const { return switches_; }

 private:
  RateControl control_;
  std::function<double(double)> speed_;
  double now_ = 0;
  bool on_ = true;
  bool was_on_ = true;
  int switches_ = 0;
};

TEST(RateControlTest, TheMeanIsTheRateWhateverTheSpeedIs) {
  for (const double speed : {0.65, 1.0, 2.0, 40.0}) {
    Plant plant(RateControl(0.6, 0.005), [&](double) { return speed; });
    plant.Run(1);
    for (int i = 0; i < 5; ++i) EXPECT_NEAR(plant.Run(5), 0.6, 0.012) << speed;
  }
}

TEST(RateControlTest, AQuotaThatComesInTurnsIsNoReasonToMissIt) {
  // 4 ms in 20 ms, as a host of 0.2 cores has it.
  const auto quota = [](double now) { return std::fmod(now, 0.02) < 0.004 ? 1.0 : 0.0; };
  for (const double level : {0.2, 0.6, 0.8}) {
    Plant plant(RateControl(0.2 * level, 0.002), quota);
    plant.Run(2);
    EXPECT_NEAR(plant.Run(5) / 0.2, level, 0.03);
  }
}

TEST(RateControlTest, NoiseAndASpeedThatChangesAreCorrected) {
  base::Rng rng(7);
  double base = 1;
  Plant plant(RateControl(0.4, 0.005), [&](double) { return base * (0.5 + rng.Uniform() / 2); });
  plant.Run(1);
  EXPECT_NEAR(plant.Run(5), 0.4, 0.008);
  base = 8;
  plant.Run(0.5);
  EXPECT_NEAR(plant.Run(5), 0.4, 0.008);
  base = 0.7;
  plant.Run(0.5);
  EXPECT_NEAR(plant.Run(5), 0.4, 0.008);
}

TEST(RateControlTest, TimeThatWasTakenAwayForLongIsNotMadeUpForLong) {
  double speed = 0;
  Plant plant(RateControl(0.5, 0.005), [&](double) { return speed; });
  EXPECT_EQ(plant.Run(60), 0);
  speed = 1;
  EXPECT_NEAR(plant.Run(2), 0.5 + 0.25 / 2, 0.02);  // half a second's worth, in two seconds
  EXPECT_NEAR(plant.Run(2), 0.5, 0.02);
}

TEST(RateControlTest, AFastPlantIsNotSwitchedOftenerThanItsSliceAsks) {
  Plant plant(RateControl(0.5, 0.005), [](double) { return 1.0; });
  plant.Run(1);
  const int before = plant.switches();
  plant.Run(1);
  // A slice takes 10 ms on and 10 ms off.
  EXPECT_NEAR(plant.switches() - before, 100, 20);
}

TEST(StressLevelsTest, WhatIsMissedIsNamed) {
  StressLevels levels;
  EXPECT_TRUE(levels.none());
  EXPECT_EQ(Missed(levels, {.cpu = 0.9}), "");
  levels.cpu = 0.6;
  levels.disk_bytes_per_s = 20e6;
  EXPECT_EQ(Missed(levels, {.cpu = 0.58, .disk_bytes_per_s = 21e6}), "");
  EXPECT_EQ(Missed(levels, {.cpu = 0.41, .disk_bytes_per_s = 0}),
            "cpu 41.0 % instead of 60.0 %, disk 0.0 MB/s instead of 20.0 MB/s");
  levels = {.memory_bytes = 600'000'000};
  EXPECT_EQ(Missed(levels, {.memory_bytes = 585'000'000}), "");
  EXPECT_THAT(Missed(levels, {.memory_bytes = 500'000'000}), HasSubstr("memory 500.0 MB instead"));
  EXPECT_EQ(DescribeReading(levels, {.memory_bytes = 500'000'000}), "memory   500.0 MB");
}

base::Result<StressOptions> Parse(const std::vector<std::string>& arguments) {
  return ParseStressOptions(arguments, {.cpus = 4, .memory_bytes = 8'000'000'000});
}

TEST(StressOptionsTest, LevelsAreSharesOfTheHost) {
  const auto options = Parse({"--cpu", "60", "--cpus=0.2", "--memory", "30%", "--memory-total",
                              "2GiB", "--disk", "20MB/s", "--folder", "/var/tmp", "--settle=2m"});
  ASSERT_TRUE(options.ok()) << options.error().Describe();
  EXPECT_DOUBLE_EQ(options->levels.cpu, 0.6);
  EXPECT_DOUBLE_EQ(options->levels.cpus, 0.2);
  EXPECT_EQ(options->levels.memory_bytes, 644'245'094U);
  EXPECT_DOUBLE_EQ(options->levels.disk_bytes_per_s, 20e6);
  EXPECT_EQ(options->folder, "/var/tmp");
  EXPECT_DOUBLE_EQ(options->settle_s, 120);
  const auto less = Parse({"--cpu=25%", "--memory", "600MB", "--gpu", "0"});
  ASSERT_TRUE(less.ok()) << less.error().Describe();
  EXPECT_DOUBLE_EQ(less->levels.cpus, 4);
  EXPECT_EQ(less->levels.memory_bytes, 600'000'000U);
  EXPECT_TRUE(Parse({"--cpu", "0", "--disk", "0"})->levels.none());
}

TEST(StressOptionsTest, MistakesAreNamed) {
  struct Case {
    std::vector<std::string> arguments;
    std::string says;
  };
  const Case cases[] = {
      {{"--cpu", "101"}, "--cpu: '101'; expected a percentage"},
      {{"--cpu", "-1"}, "--cpu"},
      {{"--cpu"}, "--cpu: expected a value"},
      {{"--cpus", "0"}, "--cpus"},
      {{"--cup", "5"}, "unknown option '--cup'; did you mean '--cpu'?"},
      {{"60"}, "unknown option '60'"},
      {{"--memory", "130%"}, "--memory"},
      {{"--memory", "9GB"}, "at most the host's memory"},
      {{"--memory", "much"}, "--memory"},
      {{"--disk", "fast"}, "--disk"},
      {{"--settle", "soon"}, "--settle"},
      {{"--gpu", "x"}, "--gpu: 'x'; expected a percentage"},
  };
  for (const Case& one : cases) {
    const auto options = Parse(one.arguments);
    ASSERT_FALSE(options.ok()) << one.says;
    EXPECT_EQ(options.error().code(), base::ErrorCode::kBadInput);
    EXPECT_THAT(options.error().Describe(), HasSubstr(one.says));
  }
}

// A GPU that is used twice as much as the work runs, told a second late.
TEST(DutyCycleTest, TheMeasuredUseIsHeld) {
  for (const double level : {0.1, 0.4, 0.8}) {
    for (const double strength : {0.9, 1.2}) {
      DutyCycle duty(level);
      double earlier = 0;
      double measured = 0;
      for (int second = 0; second < 30; ++second) {
        double on = 0;
        for (double passed = 0; passed < 1;) {
          const double pause = std::min(duty.PauseS(), 0.05);
          if (duty.Step(0)) on += pause;
          duty.Step(pause);
          passed += pause;
        }
        measured = std::min(1.0, strength * on);
        duty.Learn(earlier);
        earlier = measured;
      }
      EXPECT_NEAR(measured, level, 0.05) << level << " " << strength;
    }
  }
}

TEST(DutyCycleTest, WhatWasLearntIsKeptBesideOthers) {
  DutyCycle duty(0.5);
  for (int i = 0; i < 20; ++i) duty.Learn(0.8 * duty.share());
  const double alone = duty.share();
  EXPECT_NEAR(alone, 0.625, 0.01);
  duty.Keep();
  duty.Learn(1);
  EXPECT_EQ(duty.share(), alone);
}

TEST(ProcessUseTest, CpuTimeIsFineAndOutlivesTheProcess) {
  const pid_t child = fork();
  if (child == 0) {
    volatile bool go = true;
    while (go) {
    }
  }
  CpuMeter meter;
  double total = 0;
  for (int i = 0; i < 500 && total < 0.05; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    total = meter.TotalS(std::array{child});
  }
  EXPECT_GE(total, 0.05);
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  EXPECT_EQ(meter.TotalS(std::array{child}), total);
  EXPECT_EQ(meter.TotalS({}), total);
}

TEST(StressorTest, AStressNgThatIsMissingIsNamedWithItsPackage) {
  const std::string path = getenv("PATH");
  setenv("PATH", "/nonexistent", 1);
  const auto found = FindStressNg();
  setenv("PATH", path.c_str(), 1);
  ASSERT_FALSE(found.ok());
  EXPECT_EQ(found.error().code(), base::ErrorCode::kFailed);
  EXPECT_THAT(found.error().Describe(), HasSubstr("package stress-ng"));
}

TEST(StressorTest, OneThatEndsByItselfSaysWhy) {
  const auto stressor = Stressor::Start(FindStressNg().value(), {"--cpu", "nonsense"}, 1).value();
  base::Status status;
  for (int i = 0; i < 500 && status.ok(); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    status = stressor->Check();
  }
  ASSERT_FALSE(status.ok());
  EXPECT_THAT(status.error().Describe(), HasSubstr("stress-ng ended by itself: "));
  EXPECT_THAT(status.error().Describe(), HasSubstr("nonsense"));
}

class StopWhenSettled final : public StressListener {
 public:
  void Measured(const StressReading& reading) override { last = reading; }
  void Settled() override {
    for (const ProcessEntry& process : Descendants(getpid())) {
      const std::string folder = "/proc/" + std::to_string(process.pid);
      resident_bytes += 1024 * NumberAfter(folder + "/status", "RssAnon:");
      written_bytes += NumberAfter(folder + "/io", "wchar:");
    }
    stop.request_stop();
  }

  StressReading last;
  double resident_bytes = 0;
  double written_bytes = 0;
  std::stop_source stop;

 private:
  static double NumberAfter(const std::string& file, const std::string& word) {
    std::ifstream stream(file);
    double number = 0;
    for (std::string found; stream >> found;) {
      if (found == word && stream >> number) break;
    }
    return number;
  }
};

TEST(RunStressTest, EverythingIsHeldAndThenGone) {
  const support::TempFolder folder;
  StressOptions options;
  options.levels = {.cpu = 0.1,
                    .cpus = 1,
                    // The copy of this program that guards the processes counts too.
                    .memory_bytes = support::kSanitized ? 0U : 100'000'000U,
                    .disk_bytes_per_s = 2e6};
  options.folder = folder.path().string();
  StopWhenSettled listener;
  const base::SystemClock clock;
  const base::Status held = RunStress(options, clock, listener, listener.stop.get_token());
  ASSERT_TRUE(held.ok()) << held.error().Describe();
  // As the kernel's files have it, whatever the load's own meters say.
  EXPECT_GT(listener.written_bytes, 2e6);
  if (!support::kSanitized) {
    EXPECT_NEAR(listener.resident_bytes, 1e8, 4e7);
  }
  EXPECT_TRUE(Descendants(getpid()).empty());
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

// There is no GPU here: a file that always tells the level stands for one, a script for stress-ng.
TEST(RunStressTest, AGpuIsLoadedWhereThereIsOne) {
  const FakeRoot root;
  root.Write("sys/devices/gpu.0/load", "400\n");
  const support::TempFolder folder;
  folder.Write("stress-ng",
               "#!/bin/sh\necho \"$@\" > \"$(dirname \"$0\")/said\"\n(sleep 60) &\nwait\n");
  std::filesystem::permissions(folder / "stress-ng", std::filesystem::perms::owner_all);
  const std::string path = getenv("PATH");
  setenv("PATH", (folder.path().string() + ":" + path).c_str(), 1);
  StressOptions options;
  options.levels = {.gpu = 0.4};
  options.folder = folder.path().string();
  options.root = root.path();
  StopWhenSettled listener;
  const base::SystemClock clock;
  const base::Status held = RunStress(options, clock, listener, listener.stop.get_token());
  setenv("PATH", path.c_str(), 1);
  ASSERT_TRUE(held.ok()) << held.error().Describe();
  EXPECT_NEAR(listener.last.gpu, 0.4, 0.02);  // on a busy machine readings come late
  std::ifstream said(folder / "said");
  std::string line;
  std::getline(said, line);
  EXPECT_THAT(line, HasSubstr("--gpu 1"));
  EXPECT_TRUE(Descendants(getpid()).empty());
}

TEST(RunStressTest, AGpuThatIsNotThereCannotBeLoaded) {
  const FakeRoot root;
  StressOptions options;
  options.levels = {.gpu = 0.4};
  options.root = root.path();
  StopWhenSettled listener;
  const base::SystemClock clock;
  const base::Status held = RunStress(options, clock, listener, listener.stop.get_token());
  ASSERT_FALSE(held.ok());
  EXPECT_EQ(held.error().code(), base::ErrorCode::kFailed);
  EXPECT_THAT(held.error().Describe(), HasSubstr("no GPU whose use can be measured"));
}

TEST(RunStressTest, ALevelThatIsNotReachedIsAnError) {
  const support::TempFolder folder;
  StressOptions options;
  options.levels = {.memory_bytes = 1};  // less than the programs are themselves
  options.folder = folder.path().string();
  options.settle_s = 0.5;
  StopWhenSettled listener;
  const base::SystemClock clock;
  const base::Status held = RunStress(options, clock, listener, listener.stop.get_token());
  ASSERT_FALSE(held.ok());
  EXPECT_THAT(held.error().Describe(), HasSubstr("not reached after"));
  EXPECT_THAT(held.error().Describe(), HasSubstr("instead of 0.0 MB"));
  EXPECT_TRUE(Descendants(getpid()).empty());
}

TEST(RunStressTest, AFolderThatCannotBeWrittenToOrIsNoDiskIsAnError) {
  StressOptions options;
  options.levels = {.disk_bytes_per_s = 1e6};
  StopWhenSettled listener;
  const base::SystemClock clock;
  options.folder = "/proc/nowhere";
  const base::Status nowhere = RunStress(options, clock, listener, listener.stop.get_token());
  ASSERT_FALSE(nowhere.ok());
  EXPECT_THAT(nowhere.error().Describe(), HasSubstr("/proc/nowhere"));
  options.folder = "/dev/shm";
  if (!std::filesystem::exists(options.folder)) return;
  const base::Status memory = RunStress(options, clock, listener, listener.stop.get_token());
  ASSERT_FALSE(memory.ok());
  EXPECT_THAT(memory.error().Describe(), HasSubstr("--folder"));
}

TEST(RunStressTest, NothingIsStartedForNoLevel) {
  const support::TempFolder folder;
  StressOptions options;
  options.folder = folder.path().string();
  class NothingBelow final : public StressListener {
   public:
    void Measured(const StressReading&) override { EXPECT_TRUE(Descendants(getpid()).empty()); }
    void Settled() override { stop.request_stop(); }
    std::stop_source stop;
  } listener;
  const base::SystemClock clock;
  EXPECT_TRUE(RunStress(options, clock, listener, listener.stop.get_token()).ok());
}

}  // namespace
}  // namespace reckon::observe
