// A background load that holds its levels.
#pragma once

#include <filesystem>
#include <stop_token>
#include <string>

#include "base/clock.h"
#include "base/result.h"
#include "observe/stress/levels.h"

namespace reckon::observe {

struct StressOptions {
  StressLevels levels;
  std::string folder = "/tmp";  // where the files that are written lie, in a folder of their own
  double settle_s = 60;         // how long the levels may take to be reached
  std::filesystem::path root = "/";  // where the file of a Jetson's GPU is looked for
};

class StressListener {
 public:
  virtual ~StressListener() = default;
  // Once a second.
  virtual void Measured(const StressReading& reading) = 0;
  // The levels were reached for the first time.
  virtual void Settled() = 0;
};

// Loads this host until a stop is asked for; then everything that was started is gone. Fails
// without stress-ng, when it ends by itself, and when the levels are not reached in time. Called
// in the main thread, since what it starts ends with the thread.
base::Status RunStress(const StressOptions& options, const base::Clock& clock,
                       StressListener& listener, const std::stop_token& stop);

}  // namespace reckon::observe
