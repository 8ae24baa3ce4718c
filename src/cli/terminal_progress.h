// A progress bar with the time left, on standard error.
#pragma once

#include <atomic>
#include <mutex>
#include <string>

#include "base/clock.h"
#include "base/progress.h"

namespace reckon::cli {

// Shows nothing for work under a second. On a terminal the bar is redrawn in place and wiped at the
// end; elsewhere (a log file) a line appears every ten seconds. Thread-safe.
class TerminalProgress final : public base::Progress {
 public:
  TerminalProgress(const base::Clock& clock, bool is_terminal);

  void Begin(std::string_view what, uint64_t total) override;
  void Advance(uint64_t steps) override;
  void Tell(const base::ProgressState& state) override;
  void End() override;

 private:
  // Both expect mutex_ to be held.
  bool IsTime(base::MonotonicTime now) const;
  void Draw(const std::string& line, base::MonotonicTime now);

  const base::Clock& clock_;
  const bool is_terminal_;
  std::atomic<uint64_t> done_{0};
  std::atomic<base::MonotonicTime> next_draw_{};
  std::mutex mutex_;  // guards everything below
  std::string what_;
  uint64_t total_ = 0;
  base::MonotonicTime begun_;
  bool drawn_ = false;
  bool told_ = false;  // Tell has been called since the last End
};

// "comparing models [=====>    ]  52 %  about 3 s left", or without a share "training for 5 s".
std::string ProgressLine(const base::ProgressState& state);

}  // namespace reckon::cli
