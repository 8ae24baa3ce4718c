#include "cli/terminal_progress.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>

#include <fmt/format.h>

#include "base/units.h"

namespace reckon::cli {
namespace {

using namespace std::chrono_literals;  // NOLINT(google-build-using-namespace): literals only

constexpr std::chrono::milliseconds kPatience = 1s;
constexpr std::chrono::milliseconds kLineEvery = 10s;
constexpr int kBarWidth = 30;

double WholeSeconds(double seconds) { return seconds >= 1 ? std::round(seconds) : seconds; }

}  // namespace

std::string ProgressLine(const base::ProgressState& state) {
  std::string line(state.what);
  if (!state.share) {
    line += fmt::format(" for {}", base::FormatDuration(WholeSeconds(state.elapsed_s)));
  } else {
    const double share = std::clamp(*state.share, 0.0, 1.0);
    const int filled = static_cast<int>(share * kBarWidth);
    std::string bar(static_cast<size_t>(filled), '=');
    if (filled < kBarWidth) bar += '>';
    bar.resize(kBarWidth, ' ');
    line += fmt::format(" [{}] {:3.0f} %", bar, 100 * share);
  }
  if (state.remaining_s) {
    line += fmt::format("  about {} left", base::FormatDuration(WholeSeconds(*state.remaining_s)));
  }
  return line;
}

TerminalProgress::TerminalProgress(const base::Clock& clock, bool is_terminal)
    : clock_(clock), is_terminal_(is_terminal) {}

void TerminalProgress::Begin(std::string_view what, uint64_t total) {
  const std::lock_guard lock(mutex_);
  what_ = what;
  total_ = total;
  begun_ = clock_.Monotonic();
  done_ = 0;
  drawn_ = false;
  next_draw_ = begun_ + (is_terminal_ ? kPatience : kLineEvery);
}

bool TerminalProgress::IsTime(base::MonotonicTime now) const {
  return now >= next_draw_.load(std::memory_order_relaxed);
}

void TerminalProgress::Advance(uint64_t steps) {
  done_.fetch_add(steps, std::memory_order_relaxed);
  const base::MonotonicTime now = clock_.Monotonic();
  if (!IsTime(now)) return;
  const std::lock_guard lock(mutex_);
  if (!IsTime(now)) return;
  const double elapsed_s = std::chrono::duration<double>(now - begun_).count();
  const auto done = static_cast<double>(done_);
  if (total_ == 0) {
    Draw(fmt::format("{}: {} done in {}", what_, done_, base::FormatDuration(elapsed_s)), now);
    return;
  }
  base::ProgressState state{what_, elapsed_s, done / static_cast<double>(total_), {}};
  if (done > 0) state.remaining_s = elapsed_s * std::max(0.0, 1 - *state.share) / *state.share;
  Draw(ProgressLine(state), now);
}

void TerminalProgress::Tell(const base::ProgressState& state) {
  const std::lock_guard lock(mutex_);
  const base::MonotonicTime now = clock_.Monotonic();
  if (!told_) {
    told_ = true;
    next_draw_ = now + (is_terminal_ ? kPatience : kLineEvery);
  }
  if (IsTime(now)) Draw(ProgressLine(state), now);
}

void TerminalProgress::Draw(const std::string& line, base::MonotonicTime now) {
  // \033[K wipes what a longer line left behind.
  std::fputs((is_terminal_ ? "\r" + line + "\033[K" : line + "\n").c_str(), stderr);
  std::fflush(stderr);
  drawn_ = true;
  next_draw_ = now + (is_terminal_ ? std::chrono::milliseconds(100) : kLineEvery);
}

void TerminalProgress::End() {
  const std::lock_guard lock(mutex_);
  if (drawn_ && is_terminal_) {
    std::fputs("\r\033[K", stderr);
    std::fflush(stderr);
  }
  drawn_ = false;
  told_ = false;
}

}  // namespace reckon::cli
