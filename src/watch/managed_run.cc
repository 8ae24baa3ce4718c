#include "watch/managed_run.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

namespace reckon::watch {
namespace {

using core::RunState;

constexpr std::array<std::pair<Want, const char*>, 6> kWants{{{Want::kReady, "ready"},
                                                              {Want::kStart, "start"},
                                                              {Want::kGo, "go"},
                                                              {Want::kRelease, "release"},
                                                              {Want::kStop, "stop"},
                                                              {Want::kForget, "forget"}}};

bool Over(const Part& part) { return part.gone || part.lost; }

// An end that was not asked for.
bool EndedBadly(const Part& part) {
  if (part.lost) return true;
  if (part.want >= Want::kStop) return false;
  if (part.end && part.end->state == RunState::kFinished) return false;
  return part.end.has_value() || part.gone;
}

bool AllParts(const ManagedRun& run, bool (*test)(const Part&)) {
  return std::all_of(run.parts.begin(), run.parts.end(), test);
}

bool WantOfAll(ManagedRun& run, Want want) {
  bool changed = false;
  for (Part& part : run.parts) {
    if (part.want >= want) continue;
    part.want = want;
    changed = true;
  }
  return changed;
}

void CloseBills(ManagedRun& run, double now) {
  for (Part& part : run.parts) {
    if (!part.began_at || part.ended_at || !Over(part)) continue;
    part.ended_at = part.end ? part.end->at : now;
  }
}

Moved Enter(ManagedRun& run, RunState state, std::string reason = "") {
  run.state = state;
  return {true, std::move(reason), {}};
}

// Who began it: a lost node before a process that somebody killed before one that gave up by
// itself, which may be a consequence of either; among equals the first one.
struct Verdict {
  const Part* part = nullptr;
  int weight = 0;
  double at = 0;
};

Verdict Judge(const ManagedRun& run) {
  Verdict verdict;
  for (const Part& part : run.parts) {
    if (!EndedBadly(part)) continue;
    const int weight = part.lost ? 3 : part.killed_by_others ? 2 : 1;
    const double at = part.end ? part.end->at : 0;
    const bool heavier = weight > verdict.weight || (weight == verdict.weight && at < verdict.at);
    if (verdict.part == nullptr || heavier) verdict = {&part, weight, at};
  }
  return verdict;
}

std::string WhyOf(const Part& part) {
  if (part.lost) return fmt::format("node {} is lost", part.node);
  if (part.end && !part.end->reason.empty()) {
    return fmt::format("node {}: {}", part.node, part.end->reason);
  }
  return fmt::format("node {}: its part ended before the run", part.node);
}

// A job whose processes end by themselves before one of them has trained will do so again.
bool IsHopeless(const ManagedRun& run, const Verdict& verdict) {
  const bool trained = std::any_of(run.parts.begin(), run.parts.end(),
                                   [](const Part& part) { return part.trained; });
  return verdict.weight == 1 && !trained && verdict.part->end &&
         verdict.part->end->state == RunState::kFailed;
}

Moved GiveUpAttempt(ManagedRun& run) {
  const Verdict verdict = Judge(run);
  run.failure = WhyOf(*verdict.part);
  run.hopeless = IsHopeless(run, verdict);
  Moved moved{true, run.failure, {}};
  if (!run.hopeless) moved.blame = Blame{verdict.part->node, run.failure};
  run.state = RunState::kRecovering;
  return moved;
}

// Whether the attempt has gone wrong; then waits until it is known who began it.
std::optional<Moved> LookForTrouble(ManagedRun& run, const MovePolicy& policy, double now) {
  const bool bad = std::any_of(run.parts.begin(), run.parts.end(), EndedBadly);
  if (!bad) return std::nullopt;
  if (!run.bad_since) {
    run.bad_since = now;
    return Moved{true, "", {}};
  }
  // Who dies with its node takes others along, and they tell of it sooner than silence does.
  // A lost one is reason enough.
  const bool lost =
      std::any_of(run.parts.begin(), run.parts.end(), [](const Part& part) { return part.lost; });
  const bool unsure =
      !lost && std::any_of(run.parts.begin(), run.parts.end(), [&](const Part& part) {
        const bool unheard = part.heard_at && *part.heard_at <= *run.bad_since;
        return (part.silent || unheard) && !part.lost && !part.gone;
      });
  if (unsure) return Moved{};
  const bool all = AllParts(run, EndedBadly);
  if (!all && now < *run.bad_since + policy.blame_s) return Moved{};
  return GiveUpAttempt(run);
}

Moved Recover(ManagedRun& run) {
  if (WantOfAll(run, Want::kStop)) return {true, "", {}};
  if (!AllParts(run, Over)) return {};
  if (run.hopeless) return Enter(run, RunState::kFailed, run.failure);
  if (run.attempt >= run.most_attempts) {
    return Enter(
        run, RunState::kFailed,
        fmt::format("{}; that was attempt {} of {}", run.failure, run.attempt, run.most_attempts));
  }
  return Enter(run, RunState::kPlanning, run.failure);
}

Moved Stop(ManagedRun& run) {
  if (WantOfAll(run, Want::kStop)) return {true, "", {}};
  if (!AllParts(run, Over)) return {};
  return Enter(run, RunState::kStopped, run.stop_reason);
}

bool WorkersEnded(const Part& part) { return part.workers_ended >= part.workers; }

// Somebody has ended well, and somebody else does not end.
Moved LookForHanging(ManagedRun& run, double now) {
  if (!run.first_end_at) {
    run.first_end_at = now;
    return {true, "", {}};
  }
  if (run.ends_within_s <= 0 || now < *run.first_end_at + run.ends_within_s) return {};
  const auto hanging = std::find_if_not(run.parts.begin(), run.parts.end(), WorkersEnded);
  run.failure = fmt::format("node {}: its worker hangs: another has ended {:.4g} s ago",
                            hanging->node, now - *run.first_end_at);
  Moved moved = Enter(run, RunState::kRecovering, run.failure);
  moved.blame = Blame{hanging->node, run.failure};
  return moved;
}

Moved Run(ManagedRun& run, double now) {
  int64_t well = 0;
  for (const Part& part : run.parts) well += part.workers_ended_well;
  if (!AllParts(run, WorkersEnded)) return well > 0 ? LookForHanging(run, now) : Moved{};
  if (well == 0) {
    // Workers that need not go in step end one by one, and no part takes that for its own end.
    run.failure = "no worker has ended well";
    run.hopeless = std::none_of(run.parts.begin(), run.parts.end(),
                                [](const Part& part) { return part.trained; });
    return Enter(run, RunState::kRecovering, run.failure);
  }
  WantOfAll(run, Want::kRelease);
  return Enter(run, RunState::kFinishing);
}

Moved Finish(ManagedRun& run) {
  // The work is done: who is lost now takes nothing along but what it had not told.
  if (!AllParts(run, Over)) return {};
  return Enter(run, RunState::kFinished);
}

Moved Close(ManagedRun& run) { return {WantOfAll(run, Want::kForget), "", {}}; }

}  // namespace

const char* WantName(Want want) {
  for (const auto& [known, name] : kWants) {
    if (known == want) return name;
  }
  return "stop";
}

std::optional<Want> ParseWant(const std::string& name) {
  for (const auto& [want, known] : kWants) {
    if (known == name) return want;
  }
  return std::nullopt;
}

Moved MoveOn(ManagedRun& run, const MovePolicy& policy, double now) {
  CloseBills(run, now);
  if (core::IsFinal(run.state)) return Close(run);
  if (run.state == RunState::kStopping) return Stop(run);
  if (run.stop_wanted) return Enter(run, RunState::kStopping, run.stop_reason);
  if (run.state == RunState::kRecovering) return Recover(run);
  if (run.state == RunState::kFinishing) return Finish(run);
  if (run.state == RunState::kQueued || run.state == RunState::kPlanning) return {};
  if (auto trouble = LookForTrouble(run, policy, now)) return *trouble;
  switch (run.state) {
    case RunState::kTransferring:
      if (run.awaits_task) return {};
      if (!AllParts(run, [](const Part& part) { return part.ready; })) return {};
      WantOfAll(run, Want::kStart);
      return Enter(run, RunState::kStarting);
    case RunState::kStarting:
      if (AllParts(run, [](const Part& part) { return part.running; })) {
        return Enter(run, RunState::kRunning);
      }
      if (!AllParts(run, [](const Part& part) { return part.settled; })) return {};
      return {WantOfAll(run, Want::kGo), "", {}};
    case RunState::kRunning:
      return Run(run, now);
    default:
      return {};
  }
}

double Spent(const ManagedRun& run, double now) {
  double dollars = run.spent_before;
  for (const Part& part : run.parts) {
    if (!part.began_at) continue;
    const double until = part.ended_at.value_or(part.end ? part.end->at : now);
    dollars += part.price_per_hour * std::max(0.0, until - *part.began_at) / 3600;
  }
  return dollars;
}

double CostPerSecond(const ManagedRun& run) {
  double per_hour = 0;
  for (const Part& part : run.parts) {
    if (part.began_at && !part.ended_at) per_hour += part.price_per_hour;
  }
  return per_hour / 3600;
}

bool IsOpen(const ManagedRun& run) {
  if (!core::IsFinal(run.state)) return true;
  return std::any_of(run.parts.begin(), run.parts.end(),
                     [](const Part& part) { return !part.forgotten && !part.lost; });
}

}  // namespace reckon::watch
