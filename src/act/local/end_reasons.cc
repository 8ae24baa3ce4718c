#include "act/local/end_reasons.h"

#include <chrono>

#include <fmt/format.h>

namespace reckon::act {
namespace {

// What was told so long ago may have to do with an end now.
constexpr std::chrono::milliseconds kWake{2'000};

}  // namespace

std::string EndReasons::WhyEnded(const Rank& rank) const {
  const std::string what =
      rank.setup ? "setup on " + rank.spec->place.host : ProcessName(*rank.spec);
  std::string why = what + " " + Describe(*rank.end);
  if (!rank.end->exit_code) return why;
  std::string said = door_.LastError(rank.spec->role, rank.spec->index);
  if (said.empty()) said = LastLines(folder_.path / rank.spec->log, rank.setup ? 3 : 1);
  return said.empty() ? why : why + ": " + said;
}

std::string EndReasons::WhyFailed(const Rank& rank) const {
  const ProcessSpec& own = *rank.spec;
  if (!rank.setup && rank.end->exit_code && door_.LastError(own.role, own.index).empty()) {
    const auto first = door_.FirstErrorSince(clock_.Monotonic() - kWake);
    if (first) return fmt::format("{} {}: {}", first->role, first->index, first->message);
  }
  return WhyEnded(rank);
}

}  // namespace reckon::act
