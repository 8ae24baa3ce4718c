// reckon run, status, logs and stop: runs of jobs on this machine or a lab of it.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "app/context.h"
#include "app/runs/run_forecast.h"
#include "app/runs/run_view.h"
#include "base/json.h"
#include "base/result.h"
#include "core/run.h"
#include "spec/job_file.h"

namespace reckon::app {

class StopPass;

struct RunRequest {
  std::string job_file;
  std::string engine = "local";  // or "lab:NAME"
  std::vector<spec::Override> overrides;
  std::string plan;   // file of `reckon schedule --out`: workers, shards, batches; empty: none
  std::string model;  // to forecast the run with before it starts; empty: none
};

// What a run measures for: a point of a campaign.
struct Purpose {
  int64_t campaign_id = 0;
  std::string point;
  std::string pool;                           // of hosts; empty: none
  double price_per_hour = 0;                  // of all its hosts
  std::map<std::string, std::string> varied;  // that no other column of the samples tells
  // Shares of the machine's processors beyond which what it measures is disturbed.
  double most_foreign = 1;
  double most_steal = 1;
  std::optional<double> most_pace_us;  // likewise, of reading memory
};

// A run as status shows it.
struct RunReport {
  core::Run run;
  RunView view;
  std::optional<RunForecast> forecast;
  std::string folder;
  std::string note;       // as of SyncedRun
  double now = 0;         // seconds since 1970, for times until now
  bool orphaned = false;  // as of SyncedRun
};

// Of a run whose view is known; without note.
RunReport ReportOf(const core::Run& run, RunView view, const Context& context);

// Checks the job, registers the run and starts its supervisor; returns while the run goes on.
// kBadInput, kNotFound: what is wrong with the job, before anything was started.
base::Result<RunReport> StartRun(const RunRequest& request, const Context& context);
// Likewise a job that was read already. `model` as in RunRequest. `stop` knows the run from then
// on.
base::Result<RunReport> StartJob(const spec::JobFile& file, const std::string& engine,
                                 const std::string& model, const std::optional<Purpose>& purpose,
                                 StopPass& stop, const Context& context);
// The plan that a run of the job would have there, without starting it. kBadInput, kNotFound as of
// StartRun, and also when the hosts have fewer processors than its workers ask for: a run shares
// them then, but measures another shape than it says.
base::Result<base::Json> PlanJob(const spec::JobFile& file, const std::string& engine);

// Waits for the end, with progress. A request to stop stops the run; whoever started it keeps the
// StopPass until then.
base::Result<RunReport> FollowRun(int64_t run_id, const Context& context);
// Both: StartRun, then FollowRun.
base::Result<RunReport> RunToEnd(const RunRequest& request, const Context& context);

// `run`: its number, or "" or "last" for the newest.
base::Result<RunReport> FindRunReport(const std::string& run, const Context& context);

// Without a number: the newest run that has not ended. Returns when nothing of it is left.
// kBadInput: it has ended already.
base::Result<RunReport> StopRun(const std::string& run, const Context& context);

struct LogsRequest {
  std::string run;
  std::vector<std::string> processes;  // "worker-0"; empty: all
  bool follow = false;                 // until the run ends or `context.stop`
};

// Takes a line: of which log, and the line without its end. An error ends the reading.
using LogLine = std::function<base::Status(std::string_view process, std::string_view line)>;

// Hands out whole lines; what a progress bar draws again counts as one. kBadInput: no such process.
base::Status ReadLogs(const LogsRequest& request, const Context& context, const LogLine& line);

}  // namespace reckon::app
