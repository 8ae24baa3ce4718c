// A run on many nodes as its manager sees it, and what follows from that: a pure function of what
// is known and of the time, so that a manager that was killed goes on by the same rules. A node's
// share of a run is a part (docs/service.md).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/run.h"

namespace reckon::watch {

// What is wanted of a part. It only grows.
enum class Want {
  kReady,    // have all files, start nothing
  kStart,    // setup and what runs beside the training
  kGo,       // everybody has settled: train
  kRelease,  // all workers are done: servers and background may end
  kStop,     // end all of it
  kForget,   // the run is over and all is told: remove the files
};

const char* WantName(Want want);
std::optional<Want> ParseWant(const std::string& name);

// How a part has ended.
struct PartEnd {
  core::RunState state = core::RunState::kFailed;  // finished, failed or stopped
  std::string reason;
  double at = 0;  // seconds since 1970
};

struct Part {
  std::string node;
  int64_t workers = 0;  // of its processes
  double price_per_hour = 0;
  Want want = Want::kReady;

  // As its agent says.
  bool ready = false;      // has all files
  bool forgotten = false;  // was told to forget it, and has
  // Nothing of it runs, and all that it told has come. Of a part that never began: nor ever will.
  bool gone = false;
  bool lost = false;      // its node is silent for so long that nobody waits for it
  bool has_data = false;  // that a data store has offered it. Not kept in the store
  // When its node was heard last, seconds since 1970; not known: it is taken for heard. Not kept in
  // the store, like the next.
  std::optional<double> heard_at;
  bool silent = false;  // its node has missed some beats: it may be lost. Not kept in the store

  // As its events say.
  std::optional<double> began_at;  // seconds since 1970
  bool settled = false;
  bool running = false;  // its ranks were started
  bool trained = false;  // a worker has told of a step or of an epoch
  int64_t workers_ended = 0;
  int64_t workers_ended_well = 0;
  int64_t bad_ends = 0;                 // of processes
  bool killed_by_others = false;        // the first one of these: no fault of the job's
  std::optional<double> last_event_at;  // seconds since 1970
  std::optional<PartEnd> end;

  // Until when somebody pays for it: its end or loss. Without one it still costs.
  std::optional<double> ended_at;
};

struct ManagedRun {
  int64_t run_id = 0;
  core::RunState state = core::RunState::kQueued;
  int64_t attempt = 0;  // the first is 1; 0: none yet
  int64_t most_attempts = 4;
  std::vector<Part> parts;     // of the attempt
  double spent_before = 0;     // by earlier attempts
  bool budget_warned = false;  // of a budget that will likely not do
  // Nodes that attempts from now on shall have, as far as they are free; empty: any.
  std::vector<std::string> crew;
  std::string ending;       // why the attempt shall end after its epoch; empty: it goes on
  std::string stop_reason;  // why it shall stop
  bool stop_wanted = false;
  std::string failure;    // of the attempt: why it is given up
  bool hopeless = false;  // another attempt would end the same way
  std::optional<double> bad_since;
  // Of workers that go in step: once one has ended well, the others must within this; 0: no limit.
  double ends_within_s = 0;
  std::optional<double> first_end_at;  // when one was seen to have
  // Its nodes are chosen, but what they shall do is told later: by the data store that brings them
  // what they train on.
  bool awaits_task = false;
};

struct MovePolicy {
  // Between the first bad end and the verdict: who dies takes others along, and of those one may
  // hear first.
  double blame_s = 2;
  // What another attempt takes until it trains, where that matters beforehand.
  double restart_s = 10;
};

// A node that is to blame.
struct Blame {
  std::string node;
  std::string why;
};

// What a look at a run has changed.
struct Moved {
  bool changed = false;
  std::string reason;          // of a new state
  std::optional<Blame> blame;  // gets a strike
};

// Moves the run on by one step, if it is time for one; call again until nothing changes. States up
// to planning are not for this: whoever plans moves them.
Moved MoveOn(ManagedRun& run, const MovePolicy& policy, double now);

// Dollars, for all attempts until now.
double Spent(const ManagedRun& run, double now);

// Dollars a second, of all parts that still cost.
double CostPerSecond(const ManagedRun& run);

// Whether anything may still be asked of it: an ended run is closed when its parts are forgotten,
// or their nodes lost.
bool IsOpen(const ManagedRun& run);

}  // namespace reckon::watch
