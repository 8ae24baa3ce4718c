#include "app/campaigns/history.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/runs/run_samples.h"
#include "base/json.h"
#include "core/table.h"

namespace reckon::app {
namespace {

using core::RunState;

double SecondsOf(const core::Run& run) {
  // A clock that was set back meanwhile makes no time.
  return std::max(0.0, std::chrono::duration<double>(run.changed_at - run.created_at).count());
}

std::optional<double> NumberIn(const core::Table& table, const std::string& column, size_t row) {
  const auto found = table.Find(column);
  if (!found || table.columns[*found].kind() != core::ColumnKind::kNumber) return std::nullopt;
  const double value = table.columns[*found][row];
  return std::isnan(value) ? std::nullopt : std::optional(value);
}

// What a finished run measured, from its row of samples.
Attempt Measured(const core::Run& run, const core::Table& rows, size_t row,
                 const std::string& target) {
  Attempt attempt{run.id, Outcome::kMeasured, 0, SecondsOf(run), ""};
  const auto value = NumberIn(rows, target, row);
  if (value && *value > 0) {
    attempt.value = *value;
    attempt.pace_us = NumberIn(rows, "pace_us", row).value_or(0);
    if (NumberIn(rows, kDisturbed, row)) attempt.outcome = Outcome::kNoisy;
    if (NumberIn(rows, kLostWorkers, row)) attempt.outcome = Outcome::kNoisy;
    if (NumberIn(rows, kBegunAtStep, row).value_or(0) > 0) {
      attempt.outcome = Outcome::kFailed;
      attempt.reason = "it went on from a checkpoint, and so measured a part of the job";
    }
    return attempt;
  }
  attempt.outcome = Outcome::kFailed;
  attempt.reason = fmt::format("it measured no {}", target);
  return attempt;
}

Attempt NotMeasured(const core::Run& run, bool orphaned, const std::string& reason) {
  const bool own = run.state == RunState::kFailed && !orphaned;
  // When an orphan ended nobody knows: it was seen to be dead hours later.
  if (!own) return {run.id, Outcome::kVoid, 0, 0, reason};
  return {run.id, Outcome::kFailed, 0, SecondsOf(run), reason};
}

}  // namespace

const char* OutcomeName(Outcome outcome) {
  switch (outcome) {
    case Outcome::kMeasured:
      return "measured";
    case Outcome::kNoisy:
      return "disturbed";
    case Outcome::kFailed:
      return "failed";
    case Outcome::kVoid:
      return "void";
  }
  return "void";
}

base::Result<Attempt> AttemptOf(const RunReport& report, const std::string& target) {
  const core::Run& run = report.run;
  if (run.state != RunState::kFinished) {
    return NotMeasured(run, report.orphaned, report.view.reason);
  }
  RECKON_ASSIGN(const base::Json job, base::ParseJson(run.job, "the job of a run"));
  RECKON_ASSIGN(const base::Json plan, base::ParseJson(run.plan, "the plan of a run"));
  const auto samples = SamplesOf(run.id, run.name, job, plan, report.view);
  return Measured(run, samples.front().rows, 0, target);
}

namespace {

// The rows that the campaign's runs have left, and where each run's is.
struct MeasuredRows {
  core::Table table;
  std::map<int64_t, size_t> of_run;
};

base::Result<MeasuredRows> LoadRows(store::Store& store, const std::string& set_name) {
  MeasuredRows rows;
  RECKON_ASSIGN(const auto sets, store.ListSampleSets());
  const bool known = std::any_of(sets.begin(), sets.end(),
                                 [&](const core::SampleSet& set) { return set.name == set_name; });
  if (!known) return rows;
  RECKON_ASSIGN(rows.table, store.LoadSamples(set_name));
  for (size_t row = 0; row < rows.table.row_count; ++row) {
    if (const auto run = NumberIn(rows.table, "run", row)) rows.of_run[std::llround(*run)] = row;
  }
  return rows;
}

}  // namespace

base::Result<History> LoadHistory(store::Store& store, const core::Campaign& campaign,
                                  const std::string& target, const Context& context) {
  History history;
  // Those that ended unseen leave their rows now.
  std::map<int64_t, RunReport> looked_at;
  RECKON_ASSIGN(std::vector<core::Run> runs, store.ListCampaignRuns(campaign.id));
  for (core::Run& run : runs) {
    if (run.state == RunState::kFinished) continue;
    RECKON_ASSIGN(RunReport report, FindRunReport(std::to_string(run.id), context));
    run = report.run;
    looked_at.emplace(run.id, std::move(report));
  }
  const auto price_of = [](const core::Run& run) {
    const auto plan = base::ParseJson(run.plan, "the plan of a run");
    return plan.ok() && plan->is_object() ? plan->value("price_per_hour", 0.0) : 0.0;
  };
  RECKON_ASSIGN(const MeasuredRows rows, LoadRows(store, SampleSetsOf(campaign.name)[0]));
  for (const core::Run& run : runs) {
    auto& attempts = history.by_point[run.point];
    const auto row = rows.of_run.find(run.id);
    if (!core::IsFinal(run.state)) {
      history.at_work.push_back(run.id);
    } else if (run.state == RunState::kFinished && row != rows.of_run.end()) {
      attempts.push_back(Measured(run, rows.table, row->second, target));
    } else if (run.state == RunState::kFinished) {
      // As on a full disk: what nobody can fit is not measured.
      attempts.push_back({run.id, Outcome::kVoid, 0, 0, "its rows were not kept"});
    } else {
      const RunReport& report = looked_at.at(run.id);
      attempts.push_back(NotMeasured(run, report.orphaned, report.view.reason));
    }
    if (core::IsFinal(run.state)) attempts.back().price_per_hour = price_of(run);
  }
  return history;
}

}  // namespace reckon::app
