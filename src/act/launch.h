// What a run starts: its processes, where they live, and what happens when one dies. Plain values
// and their JSON, which is how they travel from whoever plans to whoever supervises.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "act/place.h"
#include "act/sandbox.h"
#include "base/json.h"
#include "base/result.h"
#include "core/job.h"

namespace reckon::act {

// What the run does when a process ends badly (a code other than 0, or a signal).
enum class OnDeath {
  kFail,     // the run fails
  kGoOn,     // the others go on
  kRestart,  // it is started again, at most LaunchSpec::most_restarts times
};

struct ProcessSpec {
  std::string role;  // "worker", "server"
  int64_t index = 0;
  std::vector<std::string> argv;           // argv[0] is looked for in PATH
  std::map<std::string, std::string> env;  // on top of the supervisor's own
  std::string workdir;                     // empty: the run folder
  Place place;
  OnDeath on_death = OnDeath::kFail;
  std::string log;    // name of a file in the run folder: "worker-0.log"
  std::string title;  // for people: "sift on h0"; empty: role and index
  std::string app;    // of a background process: what its load is called in the job
  // Of a background process, which the others wait for: until it has said that it is ready or told
  // a latency, at most so long; one that does not report, exactly so long.
  double settle_s = 0;
  bool reports = false;
  std::optional<Sandbox> sandbox;  // that it runs in
};

// The role whose ends decide whether a run has succeeded.
inline constexpr std::string_view kWorkerRole = "worker";
// Load and apps beside the training: there before the others start, ended when the workers are
// done, and not to end before.
inline constexpr std::string_view kBackgroundRole = "background";

struct LaunchSpec {
  int64_t run_id = 0;
  std::string name;
  std::string setup;  // shell script, run once on each host before the processes; empty: none
  std::string setup_workdir;
  std::map<std::string, std::string> setup_env;
  std::optional<Sandbox> setup_sandbox;
  std::vector<ProcessSpec> processes;  // started in this order
  double stop_grace_s = 5;             // between SIGTERM and SIGKILL
  std::optional<double> time_limit_s;
  // How long hosts are observed before the workers and servers start, from the settling of what
  // runs in the background on; 0: not at all.
  double baseline_s = 0;
  // Of workers that go in step: how long the others may go on when one has ended well; 0: for ever.
  double ends_within_s = 0;
  int64_t most_restarts = 3;                  // of each process
  std::optional<core::EarlyStop> early_stop;  // not for us: whoever advises the supervisor
  std::string status_host = "127.0.0.1";      // at which the processes reach the supervisor
  std::string token;                          // without which no report is taken
  // Not empty: these are the processes of one node alone, which this names; others have the rest of
  // the run. Such a part waits for orders before its ranks start and before it ends
  // (act/local/part_orders.h), and tells "part.state" instead of "run.state".
  std::string part;
  std::string store;  // not for us: whoever reads the events knows it
};

// What processes of a part have in their environment: parts of a run share its token.
inline constexpr const char* kPartVariable = "RECKON_PART";
std::string PartMark(const LaunchSpec& spec);
// The variable, with its value, by which all processes of this spec, and no others, are known.
std::string MarkOf(const LaunchSpec& spec);

// The parts of a run on many nodes: for each host its processes, in the order of the spec.
std::vector<LaunchSpec> PartsOf(const LaunchSpec& spec);

// "worker 3", or the title.
std::string ProcessName(const ProcessSpec& process);

base::Json ToJson(const Place& place);
base::Json ToJson(const core::EarlyStop& stop);
base::Json ToJson(const LaunchSpec& spec);
base::Json ToJson(const ProcessSpec& process);

// kBadInput with the path of the first wrong, missing or unknown field ("processes[2].place.host").
base::Result<LaunchSpec> LaunchSpecFromJson(const base::Json& json);
base::Result<ProcessSpec> ProcessSpecFromJson(const base::Json& json, const std::string& path);
base::Result<core::EarlyStop> EarlyStopFromJson(const base::Json& json, const std::string& path);
base::Result<Place> PlaceFromJson(const base::Json& json, const std::string& path);

}  // namespace reckon::act
