#include "app/manage/manager.h"

#include <algorithm>
#include <chrono>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "act/agents/checkpoint_relay.h"
#include "act/agents/data_fetch.h"
#include "act/agents/part_shelf.h"
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

fs::path BundleOfRun(const StorePlace& db, int64_t run_id) {
  return RunFolderPath(db, run_id) / "bundle";
}

fs::path AttemptFile(const StorePlace& db, int64_t run_id, int64_t attempt) {
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

core::Event EventOf(const Managed& managed, const char* kind, const Json& detail) {
  core::Event event;
  event.run_id = managed.row.id;
  event.kind = kind;
  event.detail = base::DumpJsonLine(detail);
  return event;
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
  const Json job = Json::parse(managed.row.job, nullptr, false);
  managed.priority = job.is_object() ? job.value("priority", int64_t{0}) : 0;
  watch::ManagedRun& run = managed.run();
  run.run_id = managed.row.id;
  run.state = managed.row.state;
  std::string lost_plan;
  if (run.attempt > 0 && !run.awaits_task) {
    auto plan = LoadPlan(AttemptFile(options_.db, run.run_id, run.attempt));
    if (plan.ok()) {
      managed.plan = *std::move(plan);
    } else {
      lost_plan = plan.error().Describe();
      log_.Error(fmt::format("run {}: {}", run.run_id, lost_plan));
    }
  }
  managed.checkpoint = KeptCheckpoint::Find(options_.db, run.run_id, act::kCheckpointFile);
  if (!managed.document.job.bundle.empty()) {
    auto bundle = act::PrintOfFile(BundleOfRun(options_.db, run.run_id));
    if (bundle.ok()) {
      managed.bundle = *std::move(bundle);
    } else if (!core::IsFinal(run.state)) {
      lost_plan = "the code that was sent for it is gone: " + bundle.error().Describe();
    }
  }
  WatchAccuracy(managed);
  // What its parts have sent may be more than the store knew. One part after the other they tell of
  // epochs that others have not told of yet: what they are worth the next ones say.
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
  managed.advice.clear();
  if (run.state == RunState::kFinishing) {
    RECKON_ASSIGN(const RunView view, RanksOfManagedRun(options_.db, run.run_id, run));
    managed.training = TrainingOf(view);
  }
  runs_.emplace(run.run_id, std::move(managed));
  return {};
}

Status Manager::Impl::CheckBundle(const JobText& job, const core::Job& is) {
  if (is.trainer) {
    return base::BadInput(
        fmt::format("job '{}' has the built-in trainer, which runs nobody's code", is.name));
  }
  RECKON_ASSIGN(const SentBundle sent, bundles_.Find(job.bundle));
  if (sent.whole) return {};
  return base::BadInput(fmt::format("bundle {} is not here; send it first", job.bundle));
}

Result<core::Run> Manager::Impl::Submit(const JobText& job, const SubmitMore& more) {
  const UpdateAsk* ask = more.ask;
  RECKON_ASSIGN(const spec::JobFile file,
                ask == nullptr ? ReadJobText(job) : ReadUpdateJob(job, *ask));
  if (!job.model.empty()) RECKON_TRY(store_.FindModel(job.model));
  if (!job.bundle.empty()) RECKON_TRY(CheckBundle(job, file.job));
  const std::scoped_lock lock(mutex_);
  for (const auto& [id, open] : runs_) {
    if (ask == nullptr || !open.document.update || core::IsFinal(open.row.state)) continue;
    if (open.document.update->ask.data_store == ask->data_store) {
      return base::BadInput(fmt::format("data store '{}' has asked already: run {} is {}",
                                        ask->data_store, id, core::RunStateName(open.row.state)));
    }
  }
  if (ask != nullptr) {
    // Whoever asks is there; from now on its silence counts.
    RECKON_TRY(data_stores_.Hear(ask->data_store, ask->images, ask->images, Now()));
  }
  RECKON_ASSIGN(const std::string not_kept, WhyNotKept(store_, file.job.name));
  if (!not_kept.empty()) return base::BadInput(not_kept + "; give the job another name");
  Managed managed;
  managed.document.job = job;
  if (ask != nullptr) {
    managed.document.update.emplace();
    managed.document.update->ask = *ask;
  }
  if (more.serving != nullptr) {
    managed.document.serving = *more.serving;
    managed.run().most_attempts = INT32_MAX;  // nodes come and go
  }
  managed.row.name = file.job.name;
  managed.row.job = base::DumpJsonLine(ToJson(file.job));
  managed.priority = file.job.priority;
  RECKON_ASSIGN(managed.row,
                store_.AddManagedRun(managed.row, base::DumpJsonLine(ToJson(managed.document))));
  managed.run().run_id = managed.row.id;
  // Of a run of that number in a store that is no more.
  std::error_code error;
  const fs::path folder = RunFolderPath(options_.db, managed.row.id);
  fs::remove_all(folder / "parts", error);
  fs::remove(folder / act::kCheckpointFile, error);
  for (const char* left : {act::kResultFile, act::kResultsFile}) fs::remove(folder / left, error);
  if (more.model != nullptr) {
    // What its part begins with, as others with a checkpoint. Who is killed before leaves a run
    // that fails at once.
    fs::create_directories(folder, error);
    RECKON_TRY(base::WriteFile(folder / act::kCheckpointFile, *more.model));
  }
  if (!job.bundle.empty()) {
    fs::create_directories(folder, error);
    fs::permissions(folder, fs::perms::owner_all, error);
    // The run is there: without its code it fails, and says why.
    auto linked = bundles_.Link(job.bundle, BundleOfRun(options_.db, managed.row.id));
    if (linked.ok()) {
      managed.bundle = *std::move(linked);
    } else {
      TellTrouble(linked.error());
    }
  }
  managed.checkpoint = KeptCheckpoint::Find(options_.db, managed.row.id, act::kCheckpointFile);
  const core::Run row = managed.row;
  runs_.emplace(row.id, std::move(managed));
  if (ask != nullptr) RECKON_TRY(data_stores_.Fulfil(ask->data_store));
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

Result<std::vector<core::Spend>> Manager::Impl::SpendSince(std::optional<base::WallTime> since) {
  const std::scoped_lock lock(mutex_);
  RECKON_ASSIGN(const std::vector<core::Spend> bills, store_.ListSpend(since));
  std::map<std::pair<std::string, std::string>, core::Spend> sums;
  for (const core::Spend& bill : bills) sums[{bill.user, bill.project}] = bill;
  for (const auto& [id, managed] : runs_) {
    const JobText& job = managed.document.job;
    core::Spend& sum = sums[{job.user, job.project}];
    sum.user = job.user;
    sum.project = job.project;
    ++sum.runs;
    sum.dollars += watch::Spent(managed.document.run, Now());
  }
  std::vector<core::Spend> all;
  for (auto& [whose, sum] : sums) all.push_back(std::move(sum));
  return all;
}

Result<ManagedReport> Manager::Impl::Report(int64_t run_id) {
  const std::scoped_lock lock(mutex_);
  const auto found = runs_.find(run_id);
  if (found != runs_.end()) {
    Managed& managed = found->second;
    return ManagedReport{managed.row, managed.run(), watch::Spent(managed.run(), Now()),
                         watch::CostPerSecond(managed.run()), managed.waiting};
  }
  RECKON_ASSIGN(const core::Run run, store_.FindRun(run_id));
  RECKON_ASSIGN(const core::ManagedRun stored, store_.FindManagedRun(run_id));
  RECKON_ASSIGN(const Json json, base::ParseJson(stored.document, "a managed run"));
  RECKON_ASSIGN(ManagedDocument document, ManagedDocumentFromJson(json));
  document.run.run_id = run.id;
  document.run.state = run.state;
  return ManagedReport{run, document.run, watch::Spent(document.run, Now()), 0, ""};
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
  const fs::path folder = options.db.RunsFolder() / "manager";
  if (!options.db.KeepsRunsBeside()) RECKON_TRY(ClaimRunsFolder(options.db));
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) {
    return Error(ErrorCode::kIo, fmt::format("{}: {}", folder.string(), error.message()));
  }
  auto lock = act::RunLock::Take(act::RunFolder(folder));
  if (!lock.ok()) {
    if (lock.error().code() != ErrorCode::kUnavailable) return std::move(lock).error();
    return Error(ErrorCode::kUnavailable,
                 fmt::format("store '{}' has a manager already", options.db.name()));
  }
  RECKON_ASSIGN(std::string identity, IdentityOf(folder, store));
  const double now = std::chrono::duration<double>(clock.Now().time_since_epoch()).count();
  RECKON_ASSIGN(DataStoreBook data_stores, DataStoreBook::Open(folder / "data-stores.json", now));
  auto impl = std::make_unique<Impl>(options, store, clock, log, *std::move(lock),
                                     std::move(identity), std::move(data_stores));
  RECKON_TRY(impl->Load());
  impl->StartMoving();
  return std::unique_ptr<Manager>(new Manager(std::move(impl)));
}

Result<act::BeatAnswer> Manager::TakeBeat(const act::Beat& beat) { return impl_->TakeBeat(beat); }
Result<uint64_t> Manager::TakeFile(const std::string& node, const act::PartKey& key,
                                   const std::string& name, uint64_t from, std::string_view bytes) {
  return impl_->TakeFile(node, key, name, from, bytes);
}
Result<uint64_t> Manager::TakeCheckpoint(const std::string& node, const act::PartKey& key,
                                         const act::FilePrint& print, uint64_t from,
                                         std::string_view bytes) {
  return impl_->TakeCheckpoint(node, key, print, from, bytes);
}
Result<uint64_t> Manager::TakeResult(const std::string& node, const act::PartKey& key,
                                     const act::FilePrint& print, uint64_t from,
                                     std::string_view bytes) {
  return impl_->TakeResult(node, key, print, from, bytes);
}
Result<std::string> Manager::ReadCheckpoint(const std::string& node, const act::PartKey& key,
                                            uint64_t from) {
  return impl_->ReadCheckpoint(node, key, from);
}
Result<std::string> Manager::ReadBundle(const std::string& node, const act::PartKey& key,
                                        uint64_t from) {
  return impl_->ReadBundle(node, key, from);
}
SentBundles& Manager::bundles() { return impl_->bundles(); }
Result<core::Run> Manager::Submit(const JobText& job) { return impl_->Submit(job); }
Result<core::Run> Manager::AskForUpdate(const JobText& job, const UpdateAsk& ask) {
  return impl_->Submit(job, {.ask = &ask});
}
Result<core::Run> Manager::Serve(const Serving& what, const std::string& model) {
  return impl_->Serve(what, model);
}
std::vector<ServingRun> Manager::Servings() { return impl_->Servings(); }
Result<UpdatePlan> Manager::Solve(const JobText& job, const UpdateAsk& ask) {
  return impl_->Solve(job, ask);
}
Result<UpdateReport> Manager::ReportUpdate(int64_t run_id) { return impl_->ReportUpdate(run_id); }
Status Manager::OfferData(int64_t run_id, int64_t attempt, const UpdateOffer& offer) {
  return impl_->OfferData(run_id, attempt, offer);
}
Status Manager::RegisterTask(int64_t run_id, int64_t attempt,
                             const std::vector<spec::Override>& overrides) {
  return impl_->RegisterTask(run_id, attempt, overrides);
}
Status Manager::AskAgain(int64_t run_id, int64_t attempt) {
  return impl_->AskAgain(run_id, attempt);
}
Result<DataStoreAnswer> Manager::HearDataStore(const std::string& name, int64_t images,
                                               int64_t new_images) {
  return impl_->HearDataStore(name, images, new_images);
}
Status Manager::WantUpdate(const std::string& data_store, const std::string& reason) {
  return impl_->WantUpdate(data_store, reason);
}
Result<std::string> Manager::ReadModel(int64_t run_id) { return impl_->ReadModel(run_id); }
Result<std::string> Manager::ReadResults(int64_t run_id) { return impl_->ReadResults(run_id); }
std::vector<KnownDataStore> Manager::DataStores() { return impl_->DataStores(); }
Status Manager::RequestStop(int64_t run_id, const std::string& reason) {
  return impl_->RequestStop(run_id, reason);
}
Result<ManagedReport> Manager::Report(int64_t run_id) { return impl_->Report(run_id); }
Result<std::vector<core::Spend>> Manager::SpendSince(std::optional<base::WallTime> since) {
  return impl_->SpendSince(since);
}
std::vector<KnownNode> Manager::Nodes() { return impl_->Nodes(); }
Status Manager::ForgiveNode(const std::string& name) { return impl_->ForgiveNode(name); }
Status Manager::RemoveNode(const std::string& name) { return impl_->RemoveNode(name); }
size_t Manager::OpenRuns() { return impl_->OpenRuns(); }

}  // namespace reckon::app
