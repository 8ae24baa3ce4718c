// Manager: what it watches of a run at work, its accuracy and its spend.
#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "act/local/event_file.h"
#include "app/manage/managed_view.h"
#include "app/manage/manager_impl.h"
#include "app/model_source.h"
#include "app/runs/eta.h"
#include "app/runs/run_forecast.h"
#include "base/json.h"
#include "base/text.h"
#include "watch/budget.h"
#include "watch/cheaper_crew.h"

namespace reckon::app {

using base::Json;
using base::Status;
using core::RunState;
using watch::Part;

// Before the parts of an attempt tell anything.
void Manager::Impl::WatchAccuracy(Managed& managed) {
  managed.accuracy.reset();
  managed.advice.clear();
  if (!managed.plan || managed.plan->parts.empty()) return;
  const auto& stop = managed.plan->parts[0].early_stop;
  if (!stop) return;
  int64_t workers = 0;
  for (const Part& part : managed.run().parts) workers += part.workers;
  managed.accuracy.emplace(*stop, workers);
  // An attempt that goes on from a checkpoint has only the epochs after it; others begin anew.
  if (!managed.checkpoint.newest()) return;
  for (int64_t attempt = 1; attempt < managed.run().attempt; ++attempt) {
    for (const auto& folder : PartFoldersOf(options_.db, managed.row.id, attempt)) {
      act::EventReader reader(act::RunFolder(folder).events());
      const Status read = reader.Next([&](const Json& event) { managed.accuracy->Take(event); });
      if (!read.ok()) log_.Error(read.error().Describe());
    }
  }
}

// To end an attempt early: in the store before any agent hears of it.
void Manager::Impl::TakeAdvice(Managed& managed) {
  if (managed.advice.empty() || !managed.run().ending.empty() ||
      managed.row.state != RunState::kRunning) {
    return;
  }
  ManagedDocument next = managed.document;
  next.run.ending = managed.advice;
  NodeNews news;
  news.events.push_back(EventOf(managed, "run.ending", {{"reason", managed.advice}}));
  const Status kept = Commit(managed, std::move(next), "", std::move(news));
  if (!kept.ok()) TellTrouble(kept.error());
}

namespace {

// How long others would take by the model that the run was forecast with. Nothing when it does not
// know workers.
std::function<double(size_t)> RatioBy(const LoadedModel& loaded, const Json& job,
                                      const Json& plan) {
  const auto of = [&](double workers) {
    Json asked_job = job;
    Json asked_plan = plan;
    asked_job["workers"] = workers;
    asked_plan["workers"] = workers;
    const auto forecast = ForecastRun(loaded, asked_job, asked_plan);
    return forecast.ok() ? forecast->forecast.predicted : 0.0;
  };
  const double present = of(plan.value("workers", 0.0));
  if (!loaded.model.schema.FindInput("workers").ok() || !(present > 0)) return {};
  std::vector<double> ratios{0};
  for (double workers = 1; workers <= plan.value("workers", 0.0); ++workers) {
    // Fewer are not faster, whatever a model says.
    ratios.push_back(std::max(1.0, of(workers) / present));
  }
  return [ratios](size_t nodes) { return ratios.at(nodes); };
}

}  // namespace

// Whether another crew shall do the rest for what is left. Only of jobs that others can go on with:
// all-reduce, from the last epoch on.
bool Manager::Impl::ChangeCrew(Managed& managed, const watch::BudgetFacts& facts) {
  // What is done of an epoch is done again: only shortly after its begin.
  constexpr double kLeastLeft = 0.7;
  const Json job = Json::parse(managed.row.job, nullptr, false);
  const Json plan = Json::parse(managed.row.plan, nullptr, false);
  // Who trains on what is the data store's to bring about.
  if (managed.document.update) return false;
  const bool movable = job.is_object() && plan.is_object() && job.contains("trainer") &&
                       job["trainer"].value("strategy", "") == "all-reduce" &&
                       managed.checkpoint.newest() && managed.run().ending.empty() &&
                       facts.remaining_s && facts.epoch_s > 0;
  if (!movable || facts.epoch_left_s < kLeastLeft * facts.epoch_s) return false;
  watch::CrewFacts crew;
  crew.budget_left = facts.budget - facts.spent;
  crew.remaining_s = *facts.remaining_s;
  crew.restart_s = options_.moves.restart_s + facts.epoch_s - facts.epoch_left_s;
  for (const Part& part : managed.run().parts) {
    // With servers, or several workers on a node, another number of nodes is another kind of crew.
    if (part.workers != 1) return false;
    crew.present.push_back({part.node, part.price_per_hour});
  }
  for (const KnownNode& node : FreeNodes()) {
    crew.free.push_back({node.info.name, node.info.price_per_hour});
  }
  if (const std::string& name = managed.document.job.model; !name.empty()) {
    if (const auto model = LoadStoredModel(name, store_); model.ok()) {
      crew.ratio = RatioBy(*model, job, plan);
    }
  }
  const auto found = watch::FindCheaperCrew(crew);
  if (!found) return false;
  ManagedDocument next = managed.document;
  next.run.crew = found->nodes;
  next.run.failure = fmt::format("to keep the budget of {:.4g} $ others do the rest: {}",
                                 facts.budget, base::Join(found->nodes, ", "));
  ++next.run.most_attempts;  // nothing has failed
  next.run.state = RunState::kRecovering;
  NodeNews news;
  news.events.push_back(EventOf(managed, "run.replanned",
                                {{"why", next.run.failure},
                                 {"nodes", found->nodes},
                                 {"spent", facts.spent},
                                 {"cost_at_end", facts.spent + found->cost},
                                 {"remaining_s", found->seconds}}));
  const std::string why = next.run.failure;
  const Status kept = Commit(managed, std::move(next), why, std::move(news));
  if (!kept.ok()) TellTrouble(kept.error());
  return true;
}

void Manager::Impl::WatchBudget(Managed& managed) {
  constexpr std::chrono::seconds kLook{1};
  if (managed.row.state != RunState::kRunning || managed.run().stop_wanted ||
      clock_.Monotonic() < managed.look_at_budget) {
    return;
  }
  managed.look_at_budget = clock_.Monotonic() + kLook;
  const Json job = Json::parse(managed.row.job, nullptr, false);
  const auto budget = job.is_object() ? job.find("budget") : job.end();
  if (budget == job.end() || !budget->is_number()) return;
  if (!managed.reader) managed.reader.emplace(options_.db, managed.row.id);
  const Status read = managed.reader->Next(store_, managed.run());
  if (!read.ok()) return TellTrouble(read.error());
  watch::BudgetFacts facts;
  facts.budget = budget->get<double>();
  facts.spent = watch::Spent(managed.run(), Now());
  facts.per_second = watch::CostPerSecond(managed.run());
  if (const auto eta = EtaOf(job, managed.reader->view(), Now())) {
    facts.remaining_s = eta->remaining_s;
    facts.epoch_s = eta->epoch_s;
    facts.epoch_left_s = eta->epoch_left_s;
  }
  const watch::BudgetVerdict verdict = watch::JudgeBudget(facts);
  const bool too_much = verdict.advice == watch::BudgetAdvice::kWarn ||
                        verdict.advice == watch::BudgetAdvice::kEndAfterEpoch;
  if (too_much && ChangeCrew(managed, facts)) return;
  ManagedDocument next = managed.document;
  switch (verdict.advice) {
    case watch::BudgetAdvice::kGoOn:
      return;
    case watch::BudgetAdvice::kWarn:
      if (next.run.budget_warned) return;
      next.run.budget_warned = true;
      break;
    case watch::BudgetAdvice::kEndAfterEpoch:
      if (managed.advice.empty()) managed.advice = verdict.why;
      if (next.run.budget_warned) return;
      next.run.budget_warned = true;
      break;
    case watch::BudgetAdvice::kStop:
      next.run.stop_wanted = true;
      next.run.stop_reason = verdict.why;
      break;
  }
  NodeNews news;
  news.events.push_back(
      EventOf(managed, "run.budget",
              {{"why", verdict.why},
               {"budget", facts.budget},
               {"spent", facts.spent},
               {"cost_at_end", verdict.cost_at_end ? Json(*verdict.cost_at_end) : Json()}}));
  const Status kept = Commit(managed, std::move(next), "", std::move(news));
  if (!kept.ok()) TellTrouble(kept.error());
}

}  // namespace reckon::app
