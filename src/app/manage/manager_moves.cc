// Manager: the thread that moves runs on.
#include <algorithm>
#include <set>
#include <system_error>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/manage/managed_view.h"
#include "app/manage/manager_impl.h"
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
    if (since > kStoodStill) nodes_.Excuse(std::chrono::duration<double>(since).count());
    looked_at = clock_.Monotonic();
    LookAtNodes();
    std::vector<int64_t> numbers;
    for (const auto& [id, managed] : runs_) numbers.push_back(id);
    for (const int64_t id : numbers) {
      while (!stop.stop_requested() && MoveRun(runs_.at(id))) {
      }
      if (!watch::IsOpen(runs_.at(id).run())) runs_.erase(id);
    }
    wake_.wait_for(lock, stop, kLook, [this] { return news_; });
  }
}

void Manager::Impl::LookAtNodes() {
  NodeNews news = nodes_.Look(Now());
  if (!news.empty() || !unsaved_.empty()) SaveNews(std::move(news));
  for (auto& [id, managed] : runs_) {
    for (Part& part : managed.run().parts) {
      const KnownNode* node = nodes_.Find(part.node);
      const bool lost = node == nullptr || node->standing.lost;
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
  const watch::ManagedRun before = managed.run();
  ManagedDocument next = managed.document;
  const watch::Moved moved = watch::MoveOn(next.run, options_.moves, Now());
  if (!moved.changed) {
    managed.document = std::move(next);  // bills that were closed
    if (!watch::IsOpen(managed.run())) {
      // Nothing is left to do for it.
      const Status closed = Commit(managed, managed.document, "", {});
      if (!closed.ok()) TellTrouble(closed.error());
      return false;
    }
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
  const Status committed = Commit(managed, std::move(next), moved.reason, std::move(news));
  if (committed.ok()) return true;
  nodes_ = nodes_before;
  TellTrouble(committed.error());
  return false;
}

void Manager::Impl::TellTrouble(const base::Error& error) {
  std::string text = error.Describe();
  if (trouble_ == text) return;
  log_.Error(text);
  trouble_ = std::move(text);
}

std::vector<act::NodeInfo> Manager::Impl::FreeNodes() {
  std::set<std::string> busy;
  for (auto& [id, managed] : runs_) {
    for (const Part& part : managed.run().parts) {
      if (!part.gone && !part.lost && !part.forgotten) busy.insert(part.node);
    }
  }
  std::vector<act::NodeInfo> free;
  for (const auto& [name, node] : nodes_.nodes()) {
    if (nodes_.IsUsable(node, Now()) && !node.old_work && !busy.contains(name)) {
      free.push_back(node.info);
    }
  }
  return free;
}

// Empty: it can begin with the nodes that are free.
std::string Manager::Impl::WhyToWait(size_t wanted, size_t free) const {
  const size_t expected = nodes_.CountExpected(Now());
  if (expected == 0) return "no node is there";
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

bool Manager::Impl::Plan(Managed& managed) {
  const auto file = ReadJobText(managed.document.job);
  if (!file.ok()) {
    Fail(managed, file.error().Describe());
    return false;
  }
  const size_t wanted = NodesWanted(file->job);
  std::vector<act::NodeInfo> nodes = FreeNodes();
  managed.waiting = WhyToWait(wanted, nodes.size());
  if (!managed.waiting.empty()) return false;
  ManagedDocument next = managed.document;
  if (managed.row.state == RunState::kQueued) {
    next.run.state = RunState::kPlanning;
    return Commit(managed, std::move(next), "", {}).ok();
  }
  if (nodes.size() > wanted) nodes.resize(wanted);
  next.run.spent_before = watch::Spent(next.run, Now());
  ++next.run.attempt;
  const AttemptRequest request{*file, managed.row.id, next.run.attempt, options_.db, nodes};
  auto planned = PlanAttempt(request);
  if (!planned.ok()) {
    Fail(managed, planned.error().Describe());
    return false;
  }
  next.run.parts.clear();
  next.run.failure.clear();
  next.run.bad_since.reset();
  next.run.first_end_at.reset();
  next.run.hopeless = false;
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
  const fs::path attempt = AttemptFile(options_.db, managed.row.id, next.run.attempt);
  std::error_code error;
  fs::create_directories(attempt.parent_path(), error);
  fs::permissions(attempt.parent_path(), fs::perms::owner_all, error);  // tokens are in there
  for (const Part& part : next.run.parts) {
    // Of a run of that number in a store that is no more.
    fs::remove_all(PartFolder(options_.db, managed.row.id, next.run.attempt, part.node), error);
  }
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
  managed.training.reset();
  return true;
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
                             NodeNews news, const std::string& plan) {
  store::ManagedChange change;
  change.from = managed.row.state;
  change.to = next.run.state;
  change.plan = plan;
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
