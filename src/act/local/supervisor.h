// Carries out one run: starts its processes through keepers, takes their reports, restarts or gives
// up as the spec says, and leaves nothing behind.
#pragma once

#include <filesystem>
#include <stop_token>
#include <string>

#include "act/launch.h"
#include "act/local/report_door.h"
#include "act/local/run_folder.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/result.h"
#include "core/run.h"

namespace reckon::act {

struct SupervisorOptions {
  RunFolder folder;
  // `PROGRAM --keep` calls RunKeeper.
  std::filesystem::path keeper_program;
  // Asked about all that ranks tell, by another thread; may be empty.
  Adviser adviser = {};
};

struct RunOutcome {
  core::RunState state = core::RunState::kFailed;  // finished, failed or stopped
  // Of a run that has finished: why before its last epoch, or empty.
  std::string reason;
};

// Reads the folder's spec.json. kBadInput, kCorrupt: it cannot be.
base::Result<LaunchSpec> ReadLaunchSpec(const RunFolder& folder);

// Runs to the end, and appends to the folder's events what happens:
//   run.state   {state, reason}
//   run.ending  {reason}: its ranks are asked to end after the epoch that they are in
//   background.settled {}: what runs beside the training has reached its steady state
//   setup.ended {host, exit_code | signal | failure, seconds}
//   rank.started {role, index, pid, host, app}: app of background processes
//   rank.ended   {role, index, exit_code | signal | failure, seconds}
//   rank.usage   {role, index, wall_s, cpu_s, peak_memory_bytes, bytes_sent, bytes_received,
//                 complete, ...}: see TreeUsage
//   node.usage   {host, phase: before | training, ...}: see NodeWatch
//   run.disturbance {foreign, steal, seconds, pace_us}: see NodeWatch
// each with "at", in seconds since 1970, and the ranks' own reports.
//
// A request to stop ends every process; the outcome is then "stopped". kUnavailable when the folder
// has a supervisor already, kIo when it cannot be written.
//
// Makes this process a subreaper, and kills whatever child it has that is not a keeper: call it in
// a process that has no other children, and once.
base::Result<RunOutcome> Supervise(const LaunchSpec& spec, const SupervisorOptions& options,
                                   const base::Clock& clock, base::Logger& log,
                                   const std::stop_token& stop);

}  // namespace reckon::act
