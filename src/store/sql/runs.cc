// SqlStore: runs.
#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "store/checks.h"
#include "store/sql/micros.h"
#include "store/sql/sql_store.h"
#include "store/sql/transaction.h"

namespace reckon::store {
namespace {

constexpr int64_t kMaxId = std::numeric_limits<int64_t>::max();

base::Error UnknownCampaign(int64_t id, std::string_view store) {
  return {base::ErrorCode::kNotFound, fmt::format("no campaign {} in store '{}'", id, store)};
}

constexpr std::string_view kRunColumns =
    "id, name, job, plan, state, created_at_us, changed_at_us, campaign_id, point";

// Of a row of kRunColumns.
base::Result<core::Run> RunOf(const SqlStatement& row) {
  const auto state = core::ParseRunState(row.Text(4));
  if (!state) {
    return base::Error(base::ErrorCode::kCorrupt, fmt::format("run {} is in the unknown state '{}'",
                                                              row.Integer(0), row.Text(4)));
  }
  return core::Run{.id = row.Integer(0),
                   .name = row.String(1),
                   .job = row.String(2),
                   .plan = row.String(3),
                   .state = *state,
                   .created_at = FromMicros(row.Integer(5)),
                   .changed_at = FromMicros(row.Integer(6)),
                   .campaign_id = row.OptionalInteger(7),
                   .point = row.String(8)};
}

base::Result<std::vector<core::Run>> RunsOf(SqlStatement& list) {
  std::vector<core::Run> runs;
  for (;;) {
    RECKON_ASSIGN(const bool has_row, list.Step());
    if (!has_row) return runs;
    RECKON_ASSIGN(core::Run run, RunOf(list));
    runs.push_back(std::move(run));
  }
}

base::Result<std::string> StepDetail(core::RunState from, core::RunState to,
                                     std::string_view detail) {
  base::Json step{{"from", core::RunStateName(from)}, {"to", core::RunStateName(to)}};
  if (!detail.empty()) {
    RECKON_TRY(CheckJsonObject("the detail of a step", detail));
    RECKON_ASSIGN(step["detail"], base::ParseJson(detail, "the detail of a step"));
  }
  return base::DumpJsonLine(step);
}

base::Status CheckRun(const core::Run& run) {
  RECKON_TRY(CheckName("run", run.name));
  RECKON_TRY(CheckJson("the job of a run", run.job));
  if (!run.plan.empty()) RECKON_TRY(CheckJson("the plan of a run", run.plan));
  if (run.state != core::RunState::kQueued) {
    return base::BadInput(fmt::format("run '{}' cannot begin as '{}': runs begin as 'queued'",
                                      run.name, core::RunStateName(run.state)));
  }
  if (run.campaign_id.has_value() == run.point.empty()) {
    return base::BadInput(
        fmt::format("run '{}' needs a campaign and a point of it, or none of both", run.name));
  }
  return {};
}

}  // namespace

base::Result<core::Run> SqlStore::AddRun(const core::Run& run) {
  RECKON_TRY(CheckRun(run));
  const std::scoped_lock lock(mutex_);
  RECKON_ASSIGN(SqlTransaction transaction, SqlTransaction::BeginWrite(*connection_));
  RECKON_ASSIGN(core::Run added, InsertRun(run));
  RECKON_TRY(transaction.Commit());
  return added;
}

base::Result<core::Run> SqlStore::AddManagedRun(const core::Run& run, std::string_view document) {
  RECKON_TRY(CheckRun(run));
  RECKON_TRY(CheckJsonObject("the document of a managed run", document));
  const std::scoped_lock lock(mutex_);
  RECKON_ASSIGN(SqlTransaction transaction, SqlTransaction::BeginWrite(*connection_));
  RECKON_ASSIGN(core::Run added, InsertRun(run));
  RECKON_TRY(WriteManaged({added.id, std::string(document), true}));
  RECKON_TRY(transaction.Commit());
  return added;
}

base::Result<core::Run> SqlStore::InsertRun(const core::Run& run) {
  core::Run added = run;
  added.created_at = added.changed_at = clock_.Now();
  if (run.campaign_id) {
    RECKON_ASSIGN(const bool known,
                  Exists("SELECT 1 FROM campaign WHERE id = ?1", *run.campaign_id));
    if (!known) return UnknownCampaign(*run.campaign_id, connection_->name());
  }
  RECKON_ASSIGN(
      const auto insert,
      connection_->Prepare(
          "INSERT INTO run (name, job, plan, state, created_at_us, changed_at_us,"
          " campaign_id, point)"
          " VALUES (?1, ?2, nullif(?3, ''), ?4, ?5, ?5, ?6, nullif(?7, '')) RETURNING id"));
  RECKON_ASSIGN(added.id, insert
                              ->Bind(run.name, run.job, run.plan,
                                     std::string_view(core::RunStateName(run.state)),
                                     ToMicros(added.created_at), run.campaign_id, run.point)
                              .RunForNumber());
  return added;
}

base::Result<core::Run> SqlStore::ReadRun(int64_t id) {
  RECKON_ASSIGN(const auto find,
                connection_->Prepare(fmt::format("SELECT {} FROM run WHERE id = ?1", kRunColumns)));
  RECKON_ASSIGN(const bool found, find->Bind(id).Step());
  if (!found) return UnknownRun(id);
  return RunOf(*find);
}

base::Result<core::Run> SqlStore::FindRun(int64_t id) {
  const std::scoped_lock lock(mutex_);
  return ReadRun(id);
}

base::Result<std::vector<core::Run>> SqlStore::ListRuns(size_t limit,
                                                        std::optional<int64_t> before_id) {
  const std::scoped_lock lock(mutex_);
  RECKON_ASSIGN(const auto list,
                connection_->Prepare(fmt::format(
                    "SELECT {} FROM run WHERE id < ?1 ORDER BY id DESC LIMIT ?2", kRunColumns)));
  list->Bind(before_id.value_or(kMaxId), SqlLimit(limit));
  return RunsOf(*list);
}

base::Result<std::vector<core::Run>> SqlStore::ListCampaignRuns(int64_t campaign_id) {
  const std::scoped_lock lock(mutex_);
  RECKON_ASSIGN(const bool known, Exists("SELECT 1 FROM campaign WHERE id = ?1", campaign_id));
  if (!known) return UnknownCampaign(campaign_id, connection_->name());
  RECKON_ASSIGN(const auto list,
                connection_->Prepare(fmt::format(
                    "SELECT {} FROM run WHERE campaign_id = ?1 ORDER BY id", kRunColumns)));
  list->Bind(campaign_id);
  return RunsOf(*list);
}

base::Result<core::Run> SqlStore::MoveRun(int64_t id, core::RunState from, core::RunState to,
                                          std::string_view detail) {
  const std::scoped_lock lock(mutex_);
  RECKON_ASSIGN(SqlTransaction transaction, SqlTransaction::BeginWrite(*connection_));
  RECKON_ASSIGN(core::Run run, ChangeRun(id, from, to, detail));
  RECKON_TRY(transaction.Commit());
  return run;
}

base::Result<core::Run> SqlStore::FinishRun(int64_t id, core::RunState from, core::RunState to,
                                            std::string_view detail,
                                            std::span<const core::CollectedRows> samples) {
  const std::scoped_lock lock(mutex_);
  RECKON_ASSIGN(SqlTransaction transaction, SqlTransaction::BeginWrite(*connection_));
  RECKON_ASSIGN(core::Run run, ChangeRun(id, from, to, detail));
  for (const core::CollectedRows& collected : samples) RECKON_TRY(Collect(collected));
  RECKON_TRY(transaction.Commit());
  return run;
}

base::Result<core::Run> SqlStore::ChangeRun(int64_t id, core::RunState from, core::RunState to,
                                            std::string_view detail) {
  if (!core::CanFollow(from, to)) {
    return base::BadInput(fmt::format("run {} cannot go from '{}' to '{}'", id,
                                      core::RunStateName(from), core::RunStateName(to)));
  }
  RECKON_ASSIGN(std::string step, StepDetail(from, to, detail));
  RECKON_ASSIGN(core::Run run, ReadRun(id));
  if (run.state != from) {
    return base::Error(base::ErrorCode::kFailed,
                       fmt::format("run {} is '{}' by now, not '{}': somebody else moved it first",
                                   id, core::RunStateName(run.state), core::RunStateName(from)));
  }
  run.state = to;
  run.changed_at = clock_.Now();
  RECKON_ASSIGN(
      const auto update,
      connection_->Prepare("UPDATE run SET state = ?2, changed_at_us = ?3 WHERE id = ?1"));
  RECKON_TRY(
      update->Bind(id, std::string_view(core::RunStateName(to)), ToMicros(run.changed_at)).Run());
  const core::Event event{
      .id = 0, .run_id = id, .kind = "run.state", .detail = std::move(step), .at = {}};
  RECKON_TRY(InsertEvent(event, run.changed_at));
  return run;
}

}  // namespace reckon::store
