// StartRun: from a job file to a supervisor at work.
#include <cerrno>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "act/local/run_folder.h"
#include "act/local/supervisor.h"
#include "app/data.h"
#include "app/runs/background_plan.h"
#include "app/runs/describe.h"
#include "app/runs/engine.h"
#include "app/runs/job_json.h"
#include "app/runs/job_plan.h"
#include "app/runs/launch_plan.h"
#include "app/runs/machine.h"
#include "app/runs/plan_file.h"
#include "app/runs/run_files.h"
#include "app/runs/run_sync.h"
#include "app/runs/runs.h"
#include "app/runs/seats.h"
#include "app/runs/stop_pass.h"
#include "base/file.h"
#include "base/json.h"
#include "base/units.h"
#include "train/job_json.h"

namespace reckon::app {
namespace {

using base::Error;
using base::ErrorCode;
using core::RunState;

// What is written at the end of hours must not fail for a folder that was never there.
base::Status CheckFolders(const core::Job& job) {
  std::error_code error;
  if (!std::filesystem::is_directory(job.workdir, error)) {
    return base::BadInput(fmt::format("{} is no folder", job.workdir)).About("workdir");
  }
  if (!job.trainer) return {};
  for (const auto& [key, file] : {std::pair("trainer.save", job.trainer->save),
                                  std::pair("trainer.checkpoint", job.trainer->checkpoint)}) {
    const std::filesystem::path folder = std::filesystem::path(file).parent_path();
    if (file.empty() || access(folder.c_str(), W_OK | X_OK) == 0) continue;
    return base::BadInput(fmt::format("cannot write in {}: {}", folder.string(),
                                      std::generic_category().message(errno)))
        .About(key);
  }
  return {};
}

// What follows from a job that can be carried out goes into `plan`.
base::Status CheckJob(const core::Job& job, const std::vector<PlannedPlace>& places,
                      base::Json& plan) {
  RECKON_TRY(CheckFolders(job));
  RECKON_TRY(CheckBackground(job, Seat(job, places)));
  if (!job.trainer) return {};
  RECKON_ASSIGN(const TrainerNeeds needs, CheckTrainer(job, places, plan));
  RECKON_ASSIGN(const uint64_t memory, AvailableMemory());
  if (needs.memory_bytes <= memory) return {};
  return base::BadInput(
             fmt::format("{} workers with this batch and data need about {} of memory; {} are free",
                         job.workers, base::FormatBytes(needs.memory_bytes),
                         base::FormatBytes(memory)))
      .About("trainer");
}

base::Status Launch(const LaunchRequest& request) {
  RECKON_ASSIGN(const act::LaunchSpec spec, PlanLaunch(request));
  const act::RunFolder folder(request.folder);
  if (request.job.trainer) {
    core::TrainerJob trainer = *request.job.trainer;
    if (trainer.checkpoint.empty()) trainer.checkpoint = (request.folder / "checkpoint").string();
    RECKON_TRY(
        base::WriteFile(TrainerFile(request.folder), base::DumpJson(train::ToJson(trainer))));
  }
  RECKON_TRY(base::WriteFile(folder.spec(), base::DumpJson(act::ToJson(spec))));
  return act::StartSupervisor(request.programs.supervise, folder);
}

// A store that was removed leaves its runs' folders. They keep their files, under another name:
// with them this run would take over another one's events and checkpoints.
base::Status MoveAside(const std::filesystem::path& folder) {
  std::error_code error;
  if (!std::filesystem::exists(folder, error)) return {};
  const act::RunFolder earlier(folder);
  RECKON_ASSIGN(const bool runs, act::SupervisorLives(earlier));
  RECKON_ASSIGN(const bool planned, act::SupervisorLives(PlanningFolder(earlier)));
  if (runs || planned) {
    return Error(ErrorCode::kUnavailable,
                 fmt::format("{} has a run of another store at work", folder.string()));
  }
  std::filesystem::path aside;
  int number = 0;
  do {
    aside = fmt::format("{}.before-{}", folder.string(), ++number);
  } while (std::filesystem::exists(aside, error));
  std::filesystem::rename(folder, aside, error);
  if (!error) return {};
  return Error(ErrorCode::kIo,
               fmt::format("cannot rename {}: {}", folder.string(), error.message()));
}

base::Status MakeFolder(const std::filesystem::path& folder) {
  RECKON_TRY(MoveAside(folder));
  std::error_code error;
  std::filesystem::create_directories(PlanningFolder(act::RunFolder(folder)).path, error);
  // The token that ranks report with is in there.
  if (!error) {
    std::filesystem::permissions(folder, std::filesystem::perms::owner_all, error);
  }
  if (!error) return {};
  return Error(ErrorCode::kIo, fmt::format("{}: {}", folder.string(), error.message()));
}

}  // namespace

namespace {

struct AskedFor {
  spec::JobFile file;
  std::string engine;
};

// The job with what its plan and, before that, the request say of it.
base::Result<AskedFor> ReadRequest(const RunRequest& request, const Context& context) {
  PlannedJob planned{{}, request.engine};
  if (!request.plan.empty()) {
    RECKON_ASSIGN(planned, ReadPlanFile(request.plan, request.engine));
  }
  planned.overrides.insert(planned.overrides.end(), request.overrides.begin(),
                           request.overrides.end());
  RECKON_ASSIGN(spec::JobFile file, spec::ReadJobFile(request.job_file, planned.overrides));
  RECKON_TRY(Describer().Describe(file, context.stop));
  return AskedFor{std::move(file), std::move(planned.engine)};
}

}  // namespace

base::Result<RunReport> StartRun(const RunRequest& request, const Context& context) {
  RECKON_ASSIGN(const AskedFor asked, ReadRequest(request, context));
  StopPass unused{std::stop_token()};  // nobody follows it, so it goes on when we are stopped
  return StartJob(asked.file, asked.engine, request.model, std::nullopt, unused, context);
}

base::Result<RunReport> RunToEnd(const RunRequest& request, const Context& context) {
  RECKON_ASSIGN(const AskedFor asked, ReadRequest(request, context));
  StopPass stop(context.stop);
  RECKON_ASSIGN(const RunReport started,
                StartJob(asked.file, asked.engine, request.model, std::nullopt, stop, context));
  return FollowRun(started.run.id, context);
}

namespace {

// Where the job would run, and the plan of it.
struct PlannedStart {
  Engine engine;
  base::Json plan;
};

base::Result<PlannedStart> PrepareJob(const spec::JobFile& file, const std::string& engine) {
  PlannedStart prepared;
  RECKON_ASSIGN(prepared.engine, FindEngine(engine));
  prepared.plan = PlanOf(engine, prepared.engine, file.job);
  if (auto good = CheckJob(file.job, prepared.engine.places, prepared.plan); !good.ok()) {
    return file.Placed(std::move(good).error());
  }
  return prepared;
}

}  // namespace

base::Result<base::Json> PlanJob(const spec::JobFile& file, const std::string& engine) {
  RECKON_ASSIGN(PlannedStart prepared, PrepareJob(file, engine));
  if (auto fits = CheckCpus(Seat(file.job, prepared.engine.places), file.job); !fits.ok()) {
    return file.Placed(std::move(fits).error());
  }
  return std::move(prepared.plan);
}

base::Result<RunReport> StartJob(const spec::JobFile& file, const std::string& engine_name,
                                 const std::string& model, const std::optional<Purpose>& purpose,
                                 StopPass& stop, const Context& context) {
  const core::Job& job = file.job;
  RECKON_ASSIGN(const Programs programs, FindPrograms());
  RECKON_ASSIGN(PlannedStart prepared, PrepareJob(file, engine_name));
  const Engine& engine = prepared.engine;
  base::Json& plan = prepared.plan;
  if (purpose) {
    if (!purpose->pool.empty()) plan["pool"] = purpose->pool;
    if (purpose->price_per_hour > 0) plan["price_per_hour"] = purpose->price_per_hour;
    if (!purpose->varied.empty()) plan["varied"] = purpose->varied;
    plan["most_foreign"] = purpose->most_foreign;
    plan["most_steal"] = purpose->most_steal;
    if (purpose->most_pace_us) plan["most_pace_us"] = *purpose->most_pace_us;
  }
  const base::Json job_json = ToJson(job);
  std::optional<RunForecast> forecast;
  if (!model.empty()) {
    RECKON_ASSIGN(const LoadedModel loaded, LoadModel(model, context));
    RECKON_ASSIGN(forecast, ForecastRun(loaded, job_json, plan));
    plan["forecast"] = ToJson(*forecast);
  }
  RECKON_ASSIGN(const auto store, OpenStore(context, true));
  RECKON_ASSIGN(const std::string not_kept, WhyNotKept(*store, job.name));
  if (!not_kept.empty()) {
    return base::BadInput(not_kept + "; give the job another name (--set name=...)");
  }
  if (!context.db.KeepsRunsBeside()) {
    RECKON_ASSIGN(const RunsMark kept, ClaimRunsFolder(context.db));
    plan["kept"] = ToJson(kept);
  }
  core::Run run;
  run.name = job.name;
  run.job = base::DumpJsonLine(job_json);
  run.plan = base::DumpJsonLine(plan);
  if (purpose) {
    run.campaign_id = purpose->campaign_id;
    run.point = purpose->point;
  }
  RECKON_ASSIGN(run, store->AddRun(run));
  if (forecast) RECKON_TRY(KeepForecast(*forecast, run.id, *store));
  const std::filesystem::path folder = RunFolderPath(context.db, run.id);
  const auto launch = [&]() -> base::Status {
    RECKON_TRY(MakeFolder(folder));
    RECKON_ASSIGN(const act::RunLock planning,
                  act::RunLock::Take(PlanningFolder(act::RunFolder(folder))));
    RECKON_ASSIGN(run, store->MoveRun(run.id, RunState::kQueued, RunState::kPlanning, ""));
    StopPass::Starting starting(stop);
    if (context.stop.stop_requested()) {
      return Error(ErrorCode::kInterrupted, "interrupted before anything was started");
    }
    RECKON_TRY(Launch({job, run.id, folder, engine.places, engine.status_host,
                       context.db.ForPrograms(), programs, engine.dilation}));
    starting.Started(act::RunFolder(folder));
    return {};
  };
  base::Status launched = launch();
  if (!launched.ok()) {
    const std::string reason =
        base::DumpJsonLine(base::Json{{"reason", launched.error().Describe()}});
    RECKON_TRY(store->MoveRun(run.id, run.state, RunState::kFailed, reason));
    return std::move(launched).error();
  }
  return FindRunReport(std::to_string(run.id), context);
}

}  // namespace reckon::app
