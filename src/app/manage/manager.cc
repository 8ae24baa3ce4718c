#include "app/manage/manager.h"

#include <algorithm>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/manage/managed_view.h"
#include "app/manage/manager_impl.h"
#include "app/manage/part_events.h"
#include "app/runs/job_json.h"
#include "app/runs/run_files.h"
#include "app/runs/run_sync.h"
#include "base/file.h"
#include "base/json.h"
#include "base/random_token.h"

namespace reckon::app {

namespace fs = std::filesystem;
using base::Error;
using base::ErrorCode;
using base::Json;
using base::Result;
using base::Status;
using core::RunState;
using watch::Part;

Part* Managed::PartOn(const std::string& node) {
  for (Part& part : run().parts) {
    if (part.node == node) return &part;
  }
  return nullptr;
}

fs::path AttemptFile(const fs::path& db, int64_t run_id, int64_t attempt) {
  return RunFolderPath(db, run_id) / fmt::format("attempt-{}.json", attempt);
}

std::optional<act::Stretch> TrainingOf(const RunView& view) {
  std::optional<act::Stretch> all;
  for (const RankView& rank : view.ranks) {
    if (rank.role != act::kWorkerRole || !rank.training_from || !rank.training_to) continue;
    if (!all) all = act::Stretch{*rank.training_from, *rank.training_to};
    all->from = std::max(all->from, *rank.training_from);
    all->to = std::min(all->to, *rank.training_to);
  }
  if (all && all->to <= all->from) return std::nullopt;
  return all;
}

Status Manager::Impl::Load() {
  RECKON_ASSIGN(const std::vector<core::NodeRecord> nodes, store_.ListNodes());
  RECKON_TRY(nodes_.Load(nodes, Now()));
  RECKON_ASSIGN(const std::vector<core::ManagedRun> open, store_.ListOpenManagedRuns());
  for (const core::ManagedRun& stored : open) RECKON_TRY(LoadRun(stored));
  return {};
}

namespace {

Result<AttemptPlan> LoadPlan(const fs::path& file) {
  RECKON_ASSIGN(const std::string text, base::ReadFile(file));
  RECKON_ASSIGN(const Json plan, base::ParseJson(text, file.string()));
  return AttemptPlanFromJson(plan);
}

}  // namespace

Status Manager::Impl::LoadRun(const core::ManagedRun& stored) {
  Managed managed;
  RECKON_ASSIGN(managed.row, store_.FindRun(stored.run_id));
  RECKON_ASSIGN(const Json json,
                base::ParseJson(stored.document, fmt::format("run {}", stored.run_id)));
  RECKON_ASSIGN(managed.document, ManagedDocumentFromJson(json));
  watch::ManagedRun& run = managed.run();
  run.run_id = managed.row.id;
  run.state = managed.row.state;
  std::string lost_plan;
  if (run.attempt > 0) {
    auto plan = LoadPlan(AttemptFile(options_.db, run.run_id, run.attempt));
    if (plan.ok()) {
      managed.plan = *std::move(plan);
    } else {
      lost_plan = plan.error().Describe();
      log_.Error(fmt::format("run {}: {}", run.run_id, lost_plan));
    }
  }
  // What its parts have sent may be more than the store knew.
  for (Part& part : run.parts) {
    const bool known_end = part.gone && part.end.has_value();
    if (known_end) continue;
    ForgetEvents(part);
    FoldNews(managed, part);
    if (!lost_plan.empty() && !part.ready) {
      // Nobody can make it any more.
      part.gone = true;
      part.end = watch::PartEnd{RunState::kFailed, lost_plan, Now()};
    }
  }
  if (run.state == RunState::kFinishing) {
    RECKON_ASSIGN(const RunView view, RanksOfManagedRun(options_.db, run.run_id, run));
    managed.training = TrainingOf(view);
  }
  runs_.emplace(run.run_id, std::move(managed));
  return {};
}

Result<core::Run> Manager::Impl::Submit(const JobText& job) {
  RECKON_ASSIGN(const spec::JobFile file, ReadJobText(job));
  const std::scoped_lock lock(mutex_);
  RECKON_ASSIGN(const std::string not_kept, WhyNotKept(store_, file.job.name));
  if (!not_kept.empty()) return base::BadInput(not_kept + "; give the job another name");
  Managed managed;
  managed.document.job = job;
  managed.row.name = file.job.name;
  managed.row.job = base::DumpJsonLine(ToJson(file.job));
  RECKON_ASSIGN(managed.row,
                store_.AddManagedRun(managed.row, base::DumpJsonLine(ToJson(managed.document))));
  managed.run().run_id = managed.row.id;
  const core::Run row = managed.row;
  runs_.emplace(row.id, std::move(managed));
  Wake();
  return row;
}

Status Manager::Impl::RequestStop(int64_t run_id, const std::string& reason) {
  const std::scoped_lock lock(mutex_);
  const auto found = runs_.find(run_id);
  if (found == runs_.end() || core::IsFinal(found->second.row.state)) {
    RECKON_ASSIGN(const core::Run run, store_.FindRun(run_id));
    RECKON_TRY(store_.FindManagedRun(run_id));
    return base::BadInput(
        fmt::format("run {} has ended already: {}", run_id, core::RunStateName(run.state)));
  }
  ManagedDocument next = found->second.document;
  if (next.run.stop_wanted) return {};
  next.run.stop_wanted = true;
  next.run.stop_reason = reason;
  RECKON_TRY(Commit(found->second, std::move(next), "", {}));
  Wake();
  return {};
}

Result<ManagedReport> Manager::Impl::Report(int64_t run_id) {
  const std::scoped_lock lock(mutex_);
  const auto found = runs_.find(run_id);
  if (found != runs_.end()) {
    Managed& managed = found->second;
    return ManagedReport{managed.row, managed.run(), watch::Spent(managed.run(), Now()),
                         managed.waiting};
  }
  RECKON_ASSIGN(const core::Run run, store_.FindRun(run_id));
  RECKON_ASSIGN(const core::ManagedRun stored, store_.FindManagedRun(run_id));
  RECKON_ASSIGN(const Json json, base::ParseJson(stored.document, "a managed run"));
  RECKON_ASSIGN(ManagedDocument document, ManagedDocumentFromJson(json));
  document.run.run_id = run.id;
  document.run.state = run.state;
  return ManagedReport{run, document.run, watch::Spent(document.run, Now()), ""};
}

std::vector<KnownNode> Manager::Impl::Nodes() {
  const std::scoped_lock lock(mutex_);
  std::vector<KnownNode> nodes;
  for (const auto& [name, node] : nodes_.nodes()) nodes.push_back(node);
  return nodes;
}

size_t Manager::Impl::OpenRuns() {
  const std::scoped_lock lock(mutex_);
  return runs_.size();
}

Manager::Manager(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Manager::~Manager() = default;

namespace {

// The same for as long as the store is: agents keep parts of different managers apart by it.
Result<std::string> IdentityOf(const fs::path& folder, store::Store& store) {
  const fs::path file = folder / "identity";
  auto text = base::ReadFile(file);
  if (!text.ok() && text.error().code() != ErrorCode::kNotFound) return std::move(text).error();
  RECKON_ASSIGN(const auto nodes, store.ListNodes());
  // A store that knows no node is a new one, in the place of one that was removed.
  if (text.ok() && !nodes.empty()) return text;
  RECKON_ASSIGN(const std::string token, base::RandomToken());
  RECKON_TRY(base::WriteFile(file, token));
  return token;
}

}  // namespace

Result<std::unique_ptr<Manager>> Manager::Open(const ManagerOptions& options, store::Store& store,
                                               const base::Clock& clock, base::Logger& log) {
  const fs::path folder = RunFolderPath(options.db, 0).parent_path() / "manager";
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) {
    return Error(ErrorCode::kIo, fmt::format("{}: {}", folder.string(), error.message()));
  }
  auto lock = act::RunLock::Take(act::RunFolder(folder));
  if (!lock.ok()) {
    if (lock.error().code() != ErrorCode::kUnavailable) return std::move(lock).error();
    return Error(ErrorCode::kUnavailable,
                 fmt::format("store '{}' has a manager already", options.db.string()));
  }
  RECKON_ASSIGN(std::string identity, IdentityOf(folder, store));
  auto impl =
      std::make_unique<Impl>(options, store, clock, log, *std::move(lock), std::move(identity));
  RECKON_TRY(impl->Load());
  impl->StartMoving();
  return std::unique_ptr<Manager>(new Manager(std::move(impl)));
}

Result<act::BeatAnswer> Manager::TakeBeat(const act::Beat& beat) { return impl_->TakeBeat(beat); }
Result<uint64_t> Manager::TakeFile(const std::string& node, const act::PartKey& key,
                                   const std::string& name, uint64_t from, std::string_view bytes) {
  return impl_->TakeFile(node, key, name, from, bytes);
}
Result<core::Run> Manager::Submit(const JobText& job) { return impl_->Submit(job); }
Status Manager::RequestStop(int64_t run_id, const std::string& reason) {
  return impl_->RequestStop(run_id, reason);
}
Result<ManagedReport> Manager::Report(int64_t run_id) { return impl_->Report(run_id); }
std::vector<KnownNode> Manager::Nodes() { return impl_->Nodes(); }
size_t Manager::OpenRuns() { return impl_->OpenRuns(); }

}  // namespace reckon::app
