// What a supervisor and a keeper say to each other, over a LineChannel.
#pragma once

#include <optional>
#include <string>

#include "act/launch.h"
#include "base/json.h"
#include "base/result.h"
#include "observe/probes/tree_usage.h"

namespace reckon::act {

// The first message to a keeper: what to start.
struct KeepOrder {
  ProcessSpec process;  // env: all that comes on top of the keeper's own
  std::string log_path;
  double stop_grace_s = 5;
};

base::Json ToJson(const KeepOrder& order);
base::Result<KeepOrder> KeepOrderFromJson(const base::Json& json);

// Later messages to a keeper: {"say": ...}.
inline constexpr const char* kSayStop = "stop";  // SIGTERM, the grace, SIGKILL

// How a process ended: one of the three.
struct ProcessEnd {
  std::optional<int> exit_code;
  std::optional<int> signal;
  std::string failure;  // in words: it could not be started, or was lost sight of
  std::string cause;    // of a code or signal, in words, where more is known; else empty
  double seconds = 0;   // from start to end

  bool Good() const { return exit_code == 0; }
};

// "ended with code 1", "was killed by signal 9 (SIGKILL); CAUSE", "could not be started: ...".
std::string Describe(const ProcessEnd& end);

// What a keeper tells. Exactly one field is set.
struct KeeperNews {
  std::optional<int64_t> started;  // process id
  std::optional<observe::TreeUsage> usage;
  std::optional<ProcessEnd> ended;  // and nothing is left of the process and those below it
};

base::Json ToJson(const KeeperNews& news);
// The fields of a rank's usage, as keepers tell them and events have them.
base::Json ToJson(const observe::TreeUsage& usage);
// nullopt: not what a keeper says.
std::optional<KeeperNews> KeeperNewsFromJson(const base::Json& json);

}  // namespace reckon::act
