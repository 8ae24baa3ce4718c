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

constexpr auto kPatience = 1s;
constexpr int kBarWidth = 30;

}  // namespace

std::string ProgressLine(std::string_view what, uint64_t done, uint64_t total, double elapsed_s) {
  if (total == 0) {
    return fmt::format("{}: {} done in {}", what, done, base::FormatDuration(elapsed_s));
  }
  const double share = std::min(1.0, static_cast<double>(done) / static_cast<double>(total));
  const int filled = static_cast<int>(share * kBarWidth);
  std::string bar(static_cast<size_t>(filled), '=');
  if (filled < kBarWidth) bar += '>';
  bar.resize(kBarWidth, ' ');
  std::string line = fmt::format("{} [{}] {:3.0f} %", what, bar, 100 * share);
  if (share > 0) {
    double left_s = elapsed_s * (1 - share) / share;
    if (left_s >= 1) left_s = std::round(left_s);
    line += fmt::format("  about {} left", base::FormatDuration(left_s));
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
  next_draw_ = begun_ + (is_terminal_ ? kPatience : 10s);
}

void TerminalProgress::Advance(uint64_t steps) {
  done_.fetch_add(steps, std::memory_order_relaxed);
  const base::MonotonicTime now = clock_.Monotonic();
  if (now < next_draw_.load(std::memory_order_relaxed)) return;
  const std::lock_guard lock(mutex_);
  if (now < next_draw_.load(std::memory_order_relaxed)) return;
  Draw(now);
  next_draw_ = now + (is_terminal_ ? std::chrono::milliseconds(100) : std::chrono::seconds(10));
}

void TerminalProgress::Draw(base::MonotonicTime now) {
  const double elapsed_s = std::chrono::duration<double>(now - begun_).count();
  const std::string line = ProgressLine(what_, done_, total_, elapsed_s);
  // \033[K wipes what a longer line left behind.
  std::fputs((is_terminal_ ? "\r" + line + "\033[K" : line + "\n").c_str(), stderr);
  std::fflush(stderr);
  drawn_ = true;
}

void TerminalProgress::End() {
  const std::lock_guard lock(mutex_);
  if (drawn_ && is_terminal_) {
    std::fputs("\r\033[K", stderr);
    std::fflush(stderr);
  }
  drawn_ = false;
}

}  // namespace reckon::cli
