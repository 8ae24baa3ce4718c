// Manager: the thread that moves runs on.
#include <algorithm>
#include <set>
#include <system_error>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/manage/managed_view.h"
#include "app/manage/manager_impl.h"
#include "app/model_source.h"
#include "app/runs/run_forecast.h"
#include "app/runs/run_samples.h"
#include "base/file.h"
#include "base/json.h"

namespace reckon::app {

namespace fs = std::filesystem;
using base::ErrorCode;
using base::Json;
using base::Status;
using core::RunState;
using watch::Part;

void Manager::Impl::MoveOnAndOn(const std::stop_token& stop) {
  constexpr std::chrono::milliseconds kLook{250};
  constexpr std::chrono::seconds kStoodStill{2};
  std::unique_lock lock(mutex_);
  auto looked_at = clock_.Monotonic();
  while (!stop.stop_requested()) {
    news_ = false;
    // Suspended, or its machine was: what agents said meanwhile is yet to be read.
    const auto since = clock_.Monotonic() - looked_at;
    if (since > kStoodStill) {
      const double seconds = std::chrono::duration<double>(since).count();
      nodes_.Excuse(seconds);
      data_stores_.Excuse(seconds);
    }
    looked_at = clock_.Monotonic();
    LookAtNodes();
    const std::vector<int64_t> numbers = Queue();
    for (const int64_t id : numbers) {
      while (!stop.stop_requested() && MoveRun(runs_.at(id))) {
      }
      if (!watch::IsOpen(runs_.at(id).run()) && Close(runs_.at(id))) runs_.erase(id);
    }
    wake_.wait_for(lock, stop, kLook, [this] { return news_; });
  }
}

// All open runs: those at work, then those that wait, in the order in which they get nodes.
std::vector<int64_t> Manager::Impl::Queue() {
  std::vector<watch::QueuedRun> queued;
  std::vector<int64_t> order;
  for (auto& [id, managed] : runs_) {
    const RunState state = managed.row.state;
    if (managed.document.serving) {
      order.push_back(id);  // it takes nobody's place
      continue;
    }
    const bool waits =
        (state == RunState::kQueued || state == RunState::kPlanning) && managed.run().attempt == 0;
    if (!waits) order.push_back(id);
    if (!core::IsFinal(state)) {
      queued.push_back({id, managed.priority, managed.document.job.user, waits});
    }
  }
  for (watch::QueuePlace& place : watch::QueueOf(queued, options_.limits)) {
    runs_.at(place.run).held_back = std::move(place.why);
    order.push_back(place.run);
  }
  waits_first_.reset();
  return order;
}

void Manager::Impl::LookAtNodes() {
  NodeNews news = nodes_.Look(Now());
  if (!news.empty() || !unsaved_.empty()) SaveNews(std::move(news));
  for (auto& [id, managed] : runs_) {
    for (Part& part : managed.run().parts) {
      const KnownNode* node = nodes_.Find(part.node);
      const bool lost = node == nullptr || node->standing.lost;
      if (node != nullptr) part.heard_at = node->standing.heard_at;
      constexpr int kMissedBeats = 3;
      part.silent =
          node == nullptr || Now() - node->standing.heard_at > kMissedBeats * options_.beat_s;
      // Of a run that has ended nothing else is waited for than that it is forgotten.
      if (lost && !part.forgotten && (!part.gone || core::IsFinal(managed.row.state))) {
        part.lost = true;
      }
    }
  }
}

// Whether it was moved: then there may be more to do.
bool Manager::Impl::MoveRun(Managed& managed) {
  WatchDataStore(managed);
  WatchBudget(managed);
  TakeAdvice(managed);
  const watch::ManagedRun before = managed.run();
  ManagedDocument next = managed.document;
  const watch::Moved moved = watch::MoveOn(next.run, options_.moves, Now());
  if (!moved.changed) {
    managed.document = std::move(next);  // bills that were closed
    if (!watch::IsOpen(managed.run())) return false;
    const bool to_be_planned =
        before.state == RunState::kQueued || before.state == RunState::kPlanning;
    return to_be_planned && !before.stop_wanted && Plan(managed);
  }
  const NodeBook nodes_before = nodes_;
  NodeNews news;
  if (moved.blame) {
    const Part* part = managed.PartOn(moved.blame->node);
    // Who is lost has got its strike for that.
    const bool struck = part != nullptr && part->lost;
    if (!struck) news.Add(nodes_.Strike(moved.blame->node, moved.blame->why, Now()));
  }
  if (next.run.state == RunState::kFinished && before.state != RunState::kFinished) {
    for (const Part& part : next.run.parts) {
      if (!part.lost) news.Add(nodes_.Succeed(part.node));
    }
  }
  for (core::Event& event : news.events) event.run_id = managed.row.id;
  if (next.run.state == RunState::kFinishing && before.state == RunState::kRunning) {
    const auto view = RanksOfManagedRun(options_.db, managed.row.id, next.run);
    if (view.ok()) managed.training = TrainingOf(*view);
  }
  std::string reason = moved.reason;
  if (next.run.state == RunState::kFinished && reason.empty()) reason = next.run.ending;
  const Status committed = Commit(managed, std::move(next), reason, std::move(news));
  if (committed.ok()) return true;
  nodes_ = nodes_before;
  TellTrouble(committed.error());
  return false;
}

bool Manager::Impl::Close(Managed& managed) {
  const JobText& job = managed.document.job;
  std::error_code error;
  fs::remove(BundleOfRun(options_.db, managed.row.id),
             error);  // before nobody looks at it any more
  Status closed =
      store_.SetCharge({managed.row.id, job.user, job.project, watch::Spent(managed.run(), Now())});
  if (closed.ok()) closed = Commit(managed, managed.document, "", {});
  if (!closed.ok()) TellTrouble(closed.error());
  return closed.ok();
}

void Manager::Impl::TellTrouble(const base::Error& error) {
  std::string text = error.Describe();
  if (trouble_ == text) return;
  log_.Error(text);
  trouble_ = std::move(text);
}

std::vector<KnownNode> Manager::Impl::FreeNodes() {
  std::set<std::string> busy;
  for (auto& [id, managed] : runs_) {
    if (managed.document.serving) continue;  // others work beside it
    for (const Part& part : managed.run().parts) {
      if (!part.gone && !part.lost && !part.forgotten) busy.insert(part.node);
    }
  }
  std::vector<KnownNode> free;
  for (const auto& [name, node] : nodes_.nodes()) {
    if (nodes_.IsUsable(node, Now()) && !node.old_work && !busy.contains(name)) {
      free.push_back(node);
    }
  }
  return free;
}

// Whoever works there; the idlest one first.
std::vector<KnownNode> Manager::Impl::IdlestNodes() {
  std::vector<KnownNode> usable;
  for (const auto& [name, node] : nodes_.nodes()) {
    if (nodes_.IsUsable(node, Now())) usable.push_back(node);
  }
  std::stable_sort(usable.begin(), usable.end(),
                   [](const KnownNode& a, const KnownNode& b) { return a.now.cpu < b.now.cpu; });
  return usable;
}

// Empty: it can begin with the nodes that are free.
std::string Manager::Impl::WhyToWait(size_t wanted, size_t free, bool for_sent_code) const {
  const size_t expected = nodes_.CountExpected(Now(), for_sent_code);
  if (expected == 0) {
    return for_sent_code ? "no node is there that runs code that was sent" : "no node is there";
  }
  const size_t enough = std::min(wanted, expected);
  if (free < enough) {
    return fmt::format("{} of {} nodes are free; it wants {}", free, expected, enough);
  }
  const bool gathering = Now() < nodes_.newest_joined_at() + options_.gather_s;
  if (free < wanted && gathering) {
    return fmt::format("it wants {} nodes and {} are there; others may still join", wanted, free);
  }
  return "";
}

void Manager::Impl::BeginAttempt(ManagedDocument& next) const {
  watch::ManagedRun& run = next.run;
  run.spent_before = watch::Spent(run, Now());
  ++run.attempt;
  run.parts.clear();
  run.failure.clear();
  run.ending.clear();
  run.bad_since.reset();
  run.first_end_at.reset();
  run.hopeless = false;
  run.ends_within_s = 0;
}

// Its folders, and nothing of a run of that number in a store that is no more.
void Manager::Impl::MakeFolders(int64_t run_id, const watch::ManagedRun& run) const {
  std::error_code error;
  const fs::path attempt = AttemptFile(options_.db, run_id, run.attempt);
  fs::create_directories(attempt.parent_path(), error);
  fs::permissions(attempt.parent_path(), fs::perms::owner_all, error);  // tokens are in there
  for (const Part& part : run.parts) {
    fs::remove_all(PartFolder(options_.db, run_id, run.attempt, part.node), error);
  }
}

bool Manager::Impl::Plan(Managed& managed) {
  const auto file = ReadJobText(managed.document.job);
  if (!file.ok()) {
    Fail(managed, file.error().Describe());
    return false;
  }
  if (managed.document.update) return PlanUpdate(managed, *file);
  if (!managed.document.job.bundle.empty() && !managed.bundle) {
    Fail(managed, "the code that was sent for it is gone");
    return false;
  }
  const bool serves = managed.document.serving.has_value();
  std::vector<act::NodeInfo> nodes;
  const bool sent = managed.bundle.has_value();
  for (KnownNode& node : serves ? IdlestNodes() : FreeNodes()) {
    if (!sent || node.info.runs_sent_code) nodes.push_back(std::move(node.info));
  }
  const std::vector<std::string>& crew = managed.run().crew;
  const size_t wanted = crew.empty() ? NodesWanted(file->job) : crew.size();
  std::stable_partition(nodes.begin(), nodes.end(), [&](const act::NodeInfo& node) {
    return std::find(crew.begin(), crew.end(), node.name) != crew.end();
  });
  managed.waiting = managed.run().attempt == 0 ? managed.held_back : "";
  if (managed.waiting.empty() && waits_first_ && !serves) {
    managed.waiting = fmt::format("run {} goes first", *waits_first_);
  }
  if (managed.waiting.empty()) {
    managed.waiting = WhyToWait(wanted, nodes.size(), sent);
    // Nodes that become free one by one must come together for it, unless none is of use to it.
    const bool of_use = !sent || nodes_.CountExpected(Now(), true) > 0;
    if (!managed.waiting.empty() && !serves && of_use) waits_first_ = managed.row.id;
  }
  if (!managed.waiting.empty()) return false;
  ManagedDocument next = managed.document;
  if (managed.row.state == RunState::kQueued) {
    next.run.state = RunState::kPlanning;
    return Commit(managed, std::move(next), "", {}).ok();
  }
  if (nodes.size() > wanted) nodes.resize(wanted);
  BeginAttempt(next);
  const AttemptRequest request{*file, managed.row.id, next.run.attempt, options_.db.ForPrograms(),
                               nodes};
  auto planned = PlanAttempt(request);
  if (!planned.ok()) {
    Fail(managed, planned.error().Describe());
    return false;
  }
  if (next.run.attempt == 1) {
    if (const Status forecast = Forecast(managed, planned->plan); !forecast.ok()) {
      const ErrorCode code = forecast.error().code();
      const bool for_good = code == ErrorCode::kBadInput || code == ErrorCode::kNotFound;
      for_good ? Fail(managed, forecast.error().Describe()) : TellTrouble(forecast.error());
      return false;
    }
  }
  next.run.ends_within_s = planned->parts.empty() ? 0 : planned->parts[0].ends_within_s;
  for (const act::LaunchSpec& spec : planned->parts) {
    Part part;
    part.node = spec.part;
    for (const act::ProcessSpec& process : spec.processes) {
      part.workers += process.role == act::kWorkerRole ? 1 : 0;
    }
    for (const act::NodeInfo& node : nodes) {
      if (node.name == part.node) part.price_per_hour = node.price_per_hour;
    }
    next.run.parts.push_back(std::move(part));
  }
  next.run.state = RunState::kTransferring;
  MakeFolders(managed.row.id, next.run);
  const fs::path attempt = AttemptFile(options_.db, managed.row.id, next.run.attempt);
  Status written = base::WriteFile(attempt, base::DumpJson(ToJson(*planned)));
  if (written.ok()) {
    const std::string plan = base::DumpJsonLine(planned->plan);
    written = Commit(managed, std::move(next), "", {}, plan);
  }
  if (!written.ok()) {
    TellTrouble(written.error());
    return false;
  }
  managed.plan = *std::move(planned);
  managed.files.clear();
  managed.results.clear();
  managed.training.reset();
  WatchAccuracy(managed);
  return true;
}

// What the job asked to be forecast with says of the plan. A later attempt, with other nodes and
// the rest of the epochs, is another question, whose answer nobody has waited for.
Status Manager::Impl::Forecast(const Managed& managed, Json& plan) {
  const std::string& model = managed.document.job.model;
  if (model.empty()) return {};
  RECKON_ASSIGN(const LoadedModel loaded, LoadStoredModel(model, store_));
  RECKON_ASSIGN(const Json job, base::ParseJson(managed.row.job, "job of a run"));
  RECKON_ASSIGN(const RunForecast forecast, ForecastRun(loaded, job, plan));
  plan["forecast"] = ToJson(forecast);
  return KeepForecast(forecast, managed.row.id, store_);
}

void Manager::Impl::Fail(Managed& managed, const std::string& reason) {
  ManagedDocument next = managed.document;
  next.run.state = RunState::kFailed;
  next.run.failure = reason;
  const Status failed = Commit(managed, std::move(next), reason, {});
  if (!failed.ok()) TellTrouble(failed.error());
}

std::vector<core::CollectedRows> Manager::Impl::Samples(const Managed& managed,
                                                        const ManagedDocument& next) {
  const auto view = RanksOfManagedRun(options_.db, managed.row.id, next.run);
  const Json plan = Json::parse(managed.row.plan, nullptr, false);
  Json job = Json::parse(managed.row.job, nullptr, false);
  if (!view.ok() || !plan.is_object() || !job.is_object()) return {};
  job["workers"] = plan.value("workers", job["workers"]);
  return SamplesOf(managed.row.id, managed.row.name, job, plan, *view);
}

// One step, with all that belongs to it.
Status Manager::Impl::Commit(Managed& managed, ManagedDocument next, const std::string& reason,
                             NodeNews news, const std::string& plan, const std::string& job) {
  store::ManagedChange change;
  change.from = managed.row.state;
  change.to = next.run.state;
  change.plan = plan;
  change.job = job;
  Json detail = Json::object();
  if (!reason.empty()) detail["reason"] = reason;
  if (next.run.attempt > 0) detail["attempt"] = next.run.attempt;
  change.detail = base::DumpJsonLine(detail);
  change.managed = {managed.row.id, base::DumpJsonLine(ToJson(next)), watch::IsOpen(next.run)};
  change.events = news.events;
  change.nodes = news.records;
  if (change.to == RunState::kFinished && change.from != RunState::kFinished) {
    change.samples = Samples(managed, next);
  }
  auto moved = store_.ChangeManagedRun(change);
  if (!moved.ok() && moved.error().code() == ErrorCode::kBadInput && !change.samples.empty()) {
    // The rows cannot be kept: the end itself is not lost for that, and says so.
    detail["samples"] = moved.error().Describe();
    change.detail = base::DumpJsonLine(detail);
    change.samples.clear();
    moved = store_.ChangeManagedRun(change);
  }
  if (!moved.ok()) return std::move(moved).error();
  if (change.from != change.to) {
    log_.Info(fmt::format("run {}: {}{}{}", managed.row.id, core::RunStateName(change.to),
                          reason.empty() ? "" : ": ", reason));
  }
  managed.row = *std::move(moved);
  managed.document = std::move(next);
  trouble_.clear();
  return {};
}

}  // namespace reckon::app
