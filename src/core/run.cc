#include "core/run.h"

#include <algorithm>
#include <array>
#include <utility>

namespace reckon::core {
namespace {

constexpr std::array<std::pair<RunState, const char*>, 11> kNames{{
    {RunState::kQueued, "queued"},
    {RunState::kPlanning, "planning"},
    {RunState::kTransferring, "transferring"},
    {RunState::kStarting, "starting"},
    {RunState::kRunning, "running"},
    {RunState::kRecovering, "recovering"},
    {RunState::kStopping, "stopping"},
    {RunState::kFinishing, "finishing"},
    {RunState::kFinished, "finished"},
    {RunState::kFailed, "failed"},
    {RunState::kStopped, "stopped"},
}};

struct Step {
  RunState from;
  RunState to;
};

// The way forward; besides, every state that is not final may fail or be asked to stop.
constexpr std::array kSteps{
    Step{RunState::kQueued, RunState::kPlanning},
    Step{RunState::kPlanning, RunState::kTransferring},
    Step{RunState::kPlanning, RunState::kStarting},
    Step{RunState::kTransferring, RunState::kStarting},
    Step{RunState::kTransferring, RunState::kRecovering},
    Step{RunState::kStarting, RunState::kRunning},
    Step{RunState::kStarting, RunState::kRecovering},
    Step{RunState::kRunning, RunState::kFinished},
    Step{RunState::kRunning, RunState::kFinishing},
    Step{RunState::kRunning, RunState::kRecovering},
    Step{RunState::kFinishing, RunState::kFinished},
    Step{RunState::kFinishing, RunState::kRecovering},
    Step{RunState::kRecovering, RunState::kPlanning},
    Step{RunState::kRecovering, RunState::kRunning},
    Step{RunState::kStopping, RunState::kStopped},
};

}  // namespace

const char* RunStateName(RunState state) {
  for (const auto& [known, name] : kNames) {
    if (known == state) return name;
  }
  return "unknown";
}

std::optional<RunState> ParseRunState(std::string_view name) {
  for (const auto& [state, known] : kNames) {
    if (known == name) return state;
  }
  return std::nullopt;
}

bool IsFinal(RunState state) {
  return state == RunState::kFinished || state == RunState::kFailed || state == RunState::kStopped;
}

bool CanFollow(RunState from, RunState to) {
  if (IsFinal(from)) return false;
  if (to == RunState::kFailed) return true;
  if (to == RunState::kStopping) return from != RunState::kStopping;
  return std::any_of(kSteps.begin(), kSteps.end(),
                     [&](const Step& step) { return step.from == from && step.to == to; });
}

}  // namespace reckon::core
