// Plan, Run, Campaign and Event: a decision, its carrying out, and what happened on the way.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "core/job.h"

namespace reckon::core {

struct Assignment {
  std::string node;
  int64_t shard = 0;  // samples of the data set this worker trains on
  int64_t batch = 0;
};

// The decision: who trains what, what that should take, and why.
struct Plan {
  Shape shape;
  std::vector<Assignment> assignments;
  double expected_epoch_s = 0;
  double price_per_hour = 0;
  std::string reason;
};

enum class RunState {
  kQueued,
  kPlanning,
  kTransferring,
  kStarting,
  kRunning,
  kRecovering,
  kStopping,
  kFinishing,  // its workers are done; what they left is collected
  kFinished,
  kFailed,
  kStopped,
};

const char* RunStateName(RunState state);
std::optional<RunState> ParseRunState(std::string_view name);

// Finished, failed and stopped runs stay as they are.
bool IsFinal(RunState state);

// The state machine of a run; the store refuses every other step.
bool CanFollow(RunState from, RunState to);

// A Plan being carried out.
struct Run {
  int64_t id = 0;
  std::string name;
  std::string job;   // JSON document
  std::string plan;  // JSON document, empty while planning
  RunState state = RunState::kQueued;
  base::WallTime created_at;
  base::WallTime changed_at;
  std::optional<int64_t> campaign_id = {};  // that it measures for
  std::string point = {};                   // which point of the campaign; empty without one
};

// What the manager knows of a run that it carries out on nodes with agents, beside its state.
struct ManagedRun {
  int64_t run_id = 0;
  std::string document;  // JSON object
  bool open = true;      // there is still something to do for it, after its end too
};

// A node as the manager knows it.
struct NodeRecord {
  std::string name;
  std::string document;  // JSON object: what it is, and how it stands
};

// A profiling campaign: what is to be measured. What was measured are its runs.
struct Campaign {
  int64_t id = 0;
  std::string name;
  std::string document;  // JSON: as its file described it last
  base::WallTime created_at;
  base::WallTime changed_at;
};

// Something worth telling later: "model.fitted", "run.state". Never changed, never deleted.
struct Event {
  int64_t id = 0;
  std::optional<int64_t> run_id;
  std::string kind;
  std::string detail;  // JSON object
  base::WallTime at;
};

}  // namespace reckon::core
