// Manager: model updates that data stores ask for. A store asks, hears who gets how many images,
// offers them their files, says what they shall do, and is told to ask again when they fail
// (Deep-Edge, Fig. 8).
#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/manage/manager_impl.h"
#include "app/manage/update_solver.h"
#include "app/runs/job_json.h"
#include "base/file.h"
#include "base/json.h"
#include "base/text.h"
#include "net/http_client.h"

namespace reckon::app {

using base::Error;
using base::ErrorCode;
using base::Json;
using base::Result;
using base::Status;
using core::RunState;
using watch::Part;

namespace {

// Of the first node that cannot get its files.
std::string TroubleOf(const Managed& managed) {
  if (managed.data_troubles.empty()) return "";
  const auto& [node, why] = *managed.data_troubles.begin();
  return fmt::format("node {}: {}", node, why);
}

bool IsToBePlanned(RunState state) {
  return state == RunState::kQueued || state == RunState::kPlanning;
}

// Those that the worker of that rank needs.
std::set<std::string> FilesOfRank(const UpdateAsk& ask, size_t rank) {
  constexpr std::string_view kRank = "{rank}";
  std::set<std::string> names;
  for (std::string name : TrainFilesOf(ask)) {
    name.replace(name.find(kRank), kRank.size(), std::to_string(rank));
    names.insert(std::move(name));
  }
  for (const std::string& name : ValidationFilesOf(ask)) names.insert(name);
  if (ask.base_model) names.insert(kBaseModelFile);
  return names;
}

Status CheckOffer(const DataUpdate& update, const UpdateOffer& offer) {
  const auto url = net::ParseUrl(offer.source);
  if (!url.ok()) return Error(url.error()).Wrap("source");
  if (offer.secret.empty()) return base::BadInput("secret: expected one that only nodes know");
  for (size_t rank = 0; rank < update.plan.shares.size(); ++rank) {
    const std::string& node = update.plan.shares[rank].node;
    const auto offered = offer.files.find(node);
    std::set<std::string> names;
    if (offered != offer.files.end()) {
      for (const act::DataWish::File& file : offered->second) names.insert(file.name);
    }
    const std::set<std::string> wanted = FilesOfRank(update.ask, rank);
    if (names == wanted) continue;
    return base::BadInput(
        fmt::format("nodes.{}: files '{}'; the worker there needs '{}'", node,
                    base::Join(std::vector(names.begin(), names.end()), "', '"),
                    base::Join(std::vector(wanted.begin(), wanted.end()), "', '")));
  }
  for (const auto& [node, files] : offer.files) {
    const bool has_share =
        std::any_of(update.plan.shares.begin(), update.plan.shares.end(),
                    [&](const WorkerShare& share) { return share.node == node; });
    if (!has_share) return base::BadInput(fmt::format("nodes.{}: has no share", node));
  }
  return {};
}

}  // namespace

UpdateAsks Manager::Impl::AsksOf(Managed& managed) const {
  const watch::ManagedRun& run = managed.run();
  const DataUpdate& update = *managed.document.update;
  if (run.stop_wanted) return UpdateAsks::kNothing;
  if (IsToBePlanned(managed.row.state)) {
    return update.asked <= run.attempt ? UpdateAsks::kAgain : UpdateAsks::kNothing;
  }
  if (managed.row.state != RunState::kTransferring || !run.awaits_task) {
    return UpdateAsks::kNothing;
  }
  if (!update.offer) return UpdateAsks::kOffer;
  const bool all = std::all_of(run.parts.begin(), run.parts.end(),
                               [](const Part& part) { return part.workers == 0 || part.has_data; });
  return all ? UpdateAsks::kTask : UpdateAsks::kNothing;
}

UpdateReport Manager::Impl::UpdateOf(Managed& managed) const {
  UpdateReport report;
  report.run = managed.row;
  report.attempt = managed.run().attempt;
  report.asks = AsksOf(managed);
  report.plan = managed.document.update->plan;
  for (const Part& part : managed.run().parts) {
    if (part.workers > 0 && part.has_data) report.has_data.push_back(part.node);
  }
  report.trouble = TroubleOf(managed);
  report.waiting = managed.waiting;
  report.failure = managed.run().failure;
  return report;
}

Result<UpdatePlan> Manager::Impl::Solve(const JobText& job, const UpdateAsk& ask) {
  RECKON_ASSIGN(const spec::JobFile file, ReadUpdateJob(job, ask));
  const std::scoped_lock lock(mutex_);
  return ChooseShares({ask, file.job, FreeNodes()}, store_);
}

Result<UpdateReport> Manager::Impl::ReportUpdate(int64_t run_id) {
  const std::scoped_lock lock(mutex_);
  const auto no_update = [&] {
    return Error(ErrorCode::kNotFound, fmt::format("run {} is no model update", run_id));
  };
  if (const auto found = runs_.find(run_id); found != runs_.end()) {
    if (!found->second.document.update) return no_update();
    return UpdateOf(found->second);
  }
  UpdateReport report;
  RECKON_ASSIGN(report.run, store_.FindRun(run_id));
  const auto stored = store_.FindManagedRun(run_id);
  if (!stored.ok()) return no_update();
  RECKON_ASSIGN(const Json json, base::ParseJson(stored->document, "a managed run"));
  RECKON_ASSIGN(const ManagedDocument document, ManagedDocumentFromJson(json));
  if (!document.update) return no_update();
  report.attempt = document.run.attempt;
  report.plan = document.update->plan;
  report.failure = document.run.failure;
  return report;
}

Result<Managed*> Manager::Impl::FindUpdate(int64_t run_id, int64_t attempt, UpdateAsks asks) {
  const auto found = runs_.find(run_id);
  if (found == runs_.end() || !found->second.document.update) {
    RECKON_ASSIGN(const core::Run run, store_.FindRun(run_id));
    return Error(
        found == runs_.end() ? ErrorCode::kFailed : ErrorCode::kNotFound,
        fmt::format("run {} is {}", run_id,
                    found == runs_.end() ? core::RunStateName(run.state) : "no model update"));
  }
  Managed& managed = found->second;
  if (managed.run().attempt != attempt) {
    return Error(ErrorCode::kFailed, fmt::format("attempt {} is over: run {} is at attempt {}",
                                                 attempt, run_id, managed.run().attempt));
  }
  const UpdateAsks now = AsksOf(managed);
  if (now == asks) return &managed;
  // A store that was started anew offers from another place.
  const bool waits = managed.row.state == RunState::kTransferring && managed.run().awaits_task;
  if (asks == UpdateAsks::kOffer && waits && !managed.run().stop_wanted) return &managed;
  return Error(ErrorCode::kFailed, fmt::format("run {} is {} and asks for {}, not for {}", run_id,
                                               core::RunStateName(managed.row.state),
                                               UpdateAsksName(now), UpdateAsksName(asks)));
}

Status Manager::Impl::OfferData(int64_t run_id, int64_t attempt, const UpdateOffer& offer) {
  const std::scoped_lock lock(mutex_);
  RECKON_ASSIGN(Managed * managed, FindUpdate(run_id, attempt, UpdateAsks::kOffer));
  managed->data_troubles.clear();
  RECKON_TRY(CheckOffer(*managed->document.update, offer));
  ManagedDocument next = managed->document;
  next.update->offer = offer;
  RECKON_TRY(Commit(*managed, std::move(next), "", {}));
  Wake();
  return {};
}

Status Manager::Impl::RegisterTask(int64_t run_id, int64_t attempt,
                                   const std::vector<spec::Override>& overrides) {
  const std::scoped_lock lock(mutex_);
  RECKON_ASSIGN(Managed * managed, FindUpdate(run_id, attempt, UpdateAsks::kTask));
  ManagedDocument next = managed->document;
  std::vector<spec::Override>& all = next.job.overrides;
  all.insert(all.end(), overrides.begin(), overrides.end());
  RECKON_ASSIGN(const spec::JobFile file, ReadJobText(next.job));
  if (!file.job.trainer) return base::BadInput("with these changes the job has no trainer");
  std::vector<act::NodeInfo> nodes;
  const UpdatePlan& plan = next.update->plan;
  std::vector<std::string> names = plan.servers;
  for (const WorkerShare& share : plan.shares) names.push_back(share.node);
  for (const std::string& name : names) {
    const KnownNode* node = nodes_.Find(name);
    if (node == nullptr) {
      return Error(ErrorCode::kFailed, fmt::format("node {} is known no more", name));
    }
    nodes.push_back(node->info);
  }
  const AttemptRequest request{file,  run_id,       attempt, options_.db.ForPrograms(),
                               nodes, &*next.update};
  RECKON_ASSIGN(AttemptPlan planned, PlanAttempt(request));
  planned.plan["data_store"] = next.update->ask.data_store;
  next.run.awaits_task = false;
  next.run.ends_within_s = planned.parts.empty() ? 0 : planned.parts[0].ends_within_s;
  // What is told with the task is what is measured, and what forecasts are asked about.
  core::Job told = JobOfUpdate(file.job, next.update->ask, next.update->plan);
  const std::string job = base::DumpJsonLine(ToJson(told));
  const std::string asked = std::exchange(managed->row.job, job);
  const Status forecast = attempt == 1 ? Forecast(*managed, planned.plan) : Status();
  managed->row.job = asked;
  RECKON_TRY(forecast);
  RECKON_TRY(
      base::WriteFile(AttemptFile(options_.db, run_id, attempt), base::DumpJson(ToJson(planned))));
  const std::string document = base::DumpJsonLine(planned.plan);
  NodeNews news;
  news.events.push_back(EventOf(*managed, "update.task", {{"attempt", attempt}}));
  RECKON_TRY(Commit(*managed, std::move(next), "", std::move(news), document, job));
  managed->plan = std::move(planned);
  managed->files.clear();
  managed->training.reset();
  WatchAccuracy(*managed);
  Wake();
  return {};
}

Status Manager::Impl::AskAgain(int64_t run_id, int64_t attempt) {
  const std::scoped_lock lock(mutex_);
  RECKON_ASSIGN(Managed * managed, FindUpdate(run_id, attempt, UpdateAsks::kAgain));
  ManagedDocument next = managed->document;
  next.update->asked = attempt + 1;
  NodeNews news;
  news.events.push_back(EventOf(*managed, "update.asked_again", {{"attempt", attempt + 1}}));
  RECKON_TRY(Commit(*managed, std::move(next), "", std::move(news)));
  Wake();
  return {};
}

Result<DataStoreAnswer> Manager::Impl::HearDataStore(const std::string& name, int64_t images,
                                                     int64_t new_images) {
  const std::scoped_lock lock(mutex_);
  RECKON_TRY(data_stores_.Hear(name, images, new_images, Now()));
  DataStoreAnswer answer;
  answer.wanted = data_stores_.Find(name)->wanted;
  for (auto& [id, managed] : runs_) {
    const auto& update = managed.document.update;
    if (!update || update->ask.data_store != name || core::IsFinal(managed.row.state)) continue;
    answer.update = UpdateOf(managed);
  }
  return answer;
}

Status Manager::Impl::WantUpdate(const std::string& data_store, const std::string& reason) {
  const std::scoped_lock lock(mutex_);
  return data_stores_.Want(data_store, reason);
}

std::vector<KnownDataStore> Manager::Impl::DataStores() {
  const std::scoped_lock lock(mutex_);
  std::vector<KnownDataStore> stores;
  for (const auto& [name, store] : data_stores_.stores()) stores.push_back(store);
  return stores;
}

// One that is to say what happens next and does not speak any more has given the update up.
void Manager::Impl::WatchDataStore(Managed& managed) {
  const auto& update = managed.document.update;
  if (!update || core::IsFinal(managed.row.state) || managed.run().stop_wanted) return;
  const UpdateAsks asks = AsksOf(managed);
  const bool its_turn =
      asks != UpdateAsks::kNothing || (managed.run().awaits_task && update->offer);
  const KnownDataStore* store = data_stores_.Find(update->ask.data_store);
  if (!its_turn || store == nullptr) return;
  // Its nodes wait for it: who goes on and on about it without getting on has to give them back.
  const std::string trouble = TroubleOf(managed);
  const std::string at = asks == UpdateAsks::kNothing && trouble.empty()
                             ? ""
                             : fmt::format("{} {} {}", managed.run().attempt, UpdateAsksName(asks),
                                           trouble.empty() ? "" : "and nodes lack files");
  if (at != managed.stuck_at) {
    managed.stuck_at = at;
    managed.stuck_since = Now();
  }
  const double silent_s = Now() - store->heard_at;
  const double stuck_s = at.empty() ? 0 : Now() - managed.stuck_since;
  std::string why;
  if (silent_s >= options_.data_store_patience_s) {
    why = fmt::format("data store '{}' has been silent for {:.0f} s", store->name, silent_s);
  } else if (stuck_s >= options_.update_patience_s) {
    why = fmt::format("nothing has come of it for {:.0f} s; data store '{}' is to say '{}'{}",
                      stuck_s, store->name, UpdateAsksName(asks),
                      trouble.empty() ? "" : "; " + trouble);
  } else {
    return;
  }
  if (IsToBePlanned(managed.row.state)) return Fail(managed, why);
  if (managed.row.state != RunState::kTransferring) return;
  ManagedDocument next = managed.document;
  next.run.failure = why;
  next.run.hopeless = true;
  next.run.state = RunState::kRecovering;
  const Status given_up = Commit(managed, std::move(next), why, {});
  if (!given_up.ok()) TellTrouble(given_up.error());
}

bool Manager::Impl::PlanUpdate(Managed& managed, const spec::JobFile& file) {
  const DataUpdate& update = *managed.document.update;
  std::vector<KnownNode> nodes = FreeNodes();
  managed.waiting = managed.run().attempt == 0 ? managed.held_back : "";
  if (managed.waiting.empty() && waits_first_) {
    managed.waiting = fmt::format("run {} goes first", *waits_first_);
  }
  if (managed.waiting.empty() && update.asked <= managed.run().attempt) {
    managed.waiting = fmt::format("data store '{}' has not asked again", update.ask.data_store);
    return false;
  }
  const bool gathering =
      Now() < nodes_.newest_joined_at() + options_.gather_s || nodes_.CountUnheard(Now()) > 0;
  if (managed.waiting.empty() && gathering) managed.waiting = "other nodes may still join";
  if (!managed.waiting.empty()) return false;
  bool servers_usable = true;
  for (const std::string& name : update.ask.servers) {
    const KnownNode* node = nodes_.Find(name);
    if (node == nullptr) {
      Fail(managed, fmt::format("no node '{}' is known, which is to be a server's", name));
      return false;
    }
    servers_usable = servers_usable && nodes_.IsUsable(*node, Now());
  }
  const SolverRequest request{update.ask, file.job, std::move(nodes)};
  auto chosen = ChooseShares(request, store_);
  if (!chosen.ok() && chosen.error().code() == ErrorCode::kUnavailable) {
    managed.waiting = chosen.error().Describe();
    // Nodes that may be long in coming keep nobody else from working.
    if (servers_usable) waits_first_ = managed.row.id;
    return false;
  }
  if (!chosen.ok()) {
    Fail(managed, chosen.error().Describe());
    return false;
  }
  ManagedDocument next = managed.document;
  if (managed.row.state == RunState::kQueued) {
    next.run.state = RunState::kPlanning;
    return Commit(managed, std::move(next), "", {}).ok();
  }
  BeginAttempt(next);
  next.run.awaits_task = true;
  next.run.state = RunState::kTransferring;
  const auto add_part = [&](const std::string& name, int64_t workers) {
    Part part;
    part.node = name;
    part.workers = workers;
    part.price_per_hour = nodes_.Find(name)->info.price_per_hour;
    next.run.parts.push_back(std::move(part));
  };
  for (const std::string& server : chosen->servers) add_part(server, 0);
  for (const WorkerShare& share : chosen->shares) add_part(share.node, 1);
  NodeNews news;
  news.events.push_back(EventOf(managed, "update.planned",
                                {{"attempt", next.run.attempt}, {"plan", ToJson(*chosen)}}));
  next.update->plan = *std::move(chosen);
  next.update->offer.reset();
  MakeFolders(managed.row.id, next.run);
  const Status committed = Commit(managed, std::move(next), "", std::move(news));
  if (!committed.ok()) {
    TellTrouble(committed.error());
    return false;
  }
  managed.plan.reset();
  managed.files.clear();
  managed.results.clear();
  managed.data_troubles.clear();
  return true;
}

}  // namespace reckon::app
