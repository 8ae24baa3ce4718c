// The processes of a background load, and the switches that hold their levels.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

#include "base/result.h"
#include "observe/probes/gpu_probe.h"
#include "observe/stress/duty_cycle.h"
#include "observe/stress/levels.h"
#include "observe/stress/process_use.h"
#include "observe/stress/rate_control.h"
#include "observe/stress/stressor.h"

namespace reckon::observe {

// Everything that it started ends with it. Not thread-safe.
class Load {
 public:
  // `folder`: where the files that are written lie, in a folder of their own; `root`: where /sys
  // is. kFailed: without stress-ng, or a GPU that is not there.
  static base::Result<std::unique_ptr<Load>> Start(const StressLevels& levels,
                                                   const std::string& folder,
                                                   const std::filesystem::path& root = "/");
  ~Load();
  Load(const Load&) = delete;
  Load& operator=(const Load&) = delete;

  // Turns the switches; returns after how many seconds to come again.
  double Steer(double elapsed_s);
  // kFailed when a stress-ng ended by itself.
  base::Status Check() const;
  // Looks which processes there are now and what memory they hold, and starts what waited for
  // others. Costs some milliseconds.
  base::Status Look();
  // Whether all processes were there at the last look.
  bool complete() const;
  // What was used in the `elapsed_s` since the last call; memory as of the last look.
  StressReading Read(double elapsed_s);
  // The levels are reached, and others may come: what cannot be told from theirs stays as it is.
  void Settled();

 private:
  // A stressor, what it shall use, and what it has used.
  struct Held {
    std::unique_ptr<Stressor> stressor;
    std::optional<RateControl> control;  // none: it just is there
    double used = 0;
    double read = 0;  // of that, told by Read
  };

  Load(const StressLevels& levels, std::string folder)
      : levels_(levels), folder_(std::move(folder)) {}

  base::Status StartBusy();    // what is switched on and off
  base::Status StartMemory();  // after the others, whose memory counts
  base::Status StartGpu();
  void SteerGpu(double elapsed_s, double& pause);
  base::Status Add(Held& held, size_t workers, std::vector<std::string> arguments);
  static void Steer(Held& held, double elapsed_s, double used, double& pause);
  static double ReadRate(Held& held, double elapsed_s);
  std::vector<pid_t> Processes() const;
  uint64_t MeasureMemory() const;

  const StressLevels levels_;
  const std::filesystem::path folder_;
  std::string program_;
  CpuMeter cpu_meter_;
  Held cpu_;
  Held disk_;
  Held memory_;
  uint64_t memory_bytes_ = 0;
  Held gpu_;
  std::unique_ptr<GpuProbe> gpu_probe_;  // nullptr: no level of it
  std::optional<DutyCycle> gpu_duty_;
};

}  // namespace reckon::observe
