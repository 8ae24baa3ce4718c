// SqlStore: runs that a manager carries out, and the nodes it knows.
#include <utility>

#include <fmt/format.h>

#include "store/checks.h"
#include "store/sql/micros.h"
#include "store/sql/sql_store.h"
#include "store/sql/transaction.h"

namespace reckon::store {
namespace {

// Of a row of: run_id, document, open.
core::ManagedRun ManagedOf(const SqlStatement& row) {
  return {row.Integer(0), row.String(1), row.Integer(2) != 0};
}

base::Error NotManaged(int64_t id, std::string_view store) {
  return {base::ErrorCode::kNotFound,
          fmt::format("no run {} that a manager carries out in store '{}'", id, store)};
}

}  // namespace

base::Status SqlStore::WriteManaged(const core::ManagedRun& managed) {
  RECKON_ASSIGN(const auto save,
                connection_->Prepare("INSERT INTO managed_run (run_id, document, open)"
                                     " VALUES (?1, ?2, ?3) ON CONFLICT (run_id) DO UPDATE SET"
                                     " document = excluded.document, open = excluded.open"));
  return save->Bind(managed.run_id, managed.document, static_cast<int64_t>(managed.open ? 1 : 0))
      .Run();
}

base::Status SqlStore::WriteNodes(std::span<const core::NodeRecord> nodes) {
  for (const core::NodeRecord& node : nodes) {
    RECKON_ASSIGN(const auto save,
                  connection_->Prepare("INSERT INTO node (name, document) VALUES (?1, ?2)"
                                       " ON CONFLICT (name) DO UPDATE SET"
                                       " document = excluded.document"));
    RECKON_TRY(save->Bind(node.name, node.document).Run());
  }
  return {};
}

base::Result<core::Run> SqlStore::ChangeManagedRun(const ManagedChange& change) {
  RECKON_TRY(CheckJsonObject("the document of a managed run", change.managed.document));
  if (!change.plan.empty()) RECKON_TRY(CheckJson("the plan of a run", change.plan));
  if (!change.job.empty()) RECKON_TRY(CheckJson("the job of a run", change.job));
  RECKON_TRY(CheckEvents(change.events));
  RECKON_TRY(CheckNodes(change.nodes));
  const int64_t id = change.managed.run_id;
  const std::scoped_lock lock(mutex_);
  RECKON_ASSIGN(SqlTransaction transaction, SqlTransaction::BeginWrite(*connection_));
  RECKON_ASSIGN(const bool managed, Exists("SELECT 1 FROM managed_run WHERE run_id = ?1", id));
  if (!managed) return NotManaged(id, connection_->name());
  RECKON_TRY(InsertEvents(change.events));
  RECKON_ASSIGN(core::Run run, ReadRun(id));
  if (change.from != change.to) {
    RECKON_ASSIGN(run, ChangeRun(id, change.from, change.to, change.detail));
  } else if (run.state != change.from) {
    return base::Error(
        base::ErrorCode::kFailed,
        fmt::format("run {} is '{}' by now, not '{}': somebody else moved it first", id,
                    core::RunStateName(run.state), core::RunStateName(change.from)));
  }
  if (!change.plan.empty()) {
    RECKON_ASSIGN(const auto update,
                  connection_->Prepare("UPDATE run SET plan = ?2 WHERE id = ?1"));
    RECKON_TRY(update->Bind(id, change.plan).Run());
    run.plan = change.plan;
  }
  if (!change.job.empty()) {
    RECKON_ASSIGN(const auto update, connection_->Prepare("UPDATE run SET job = ?2 WHERE id = ?1"));
    RECKON_TRY(update->Bind(id, change.job).Run());
    run.job = change.job;
  }
  for (const core::CollectedRows& collected : change.samples) RECKON_TRY(Collect(collected));
  RECKON_TRY(WriteManaged(change.managed));
  RECKON_TRY(WriteNodes(change.nodes));
  RECKON_TRY(transaction.Commit());
  return run;
}

base::Result<core::ManagedRun> SqlStore::FindManagedRun(int64_t run_id) {
  const std::scoped_lock lock(mutex_);
  RECKON_ASSIGN(
      const auto find,
      connection_->Prepare("SELECT run_id, document, open FROM managed_run WHERE run_id = ?1"));
  RECKON_ASSIGN(const bool found, find->Bind(run_id).Step());
  if (!found) return NotManaged(run_id, connection_->name());
  return ManagedOf(*find);
}

base::Result<std::vector<core::ManagedRun>> SqlStore::ListOpenManagedRuns() {
  const std::scoped_lock lock(mutex_);
  RECKON_ASSIGN(const auto list,
                connection_->Prepare("SELECT run_id, document, open FROM managed_run"
                                     " WHERE open = 1 ORDER BY run_id"));
  list->Bind();
  std::vector<core::ManagedRun> runs;
  for (;;) {
    RECKON_ASSIGN(const bool has_row, list->Step());
    if (!has_row) return runs;
    runs.push_back(ManagedOf(*list));
  }
}

base::Status SqlStore::SaveNodes(std::span<const core::NodeRecord> nodes,
                                 std::span<const core::Event> events) {
  RECKON_TRY(CheckNodes(nodes));
  RECKON_TRY(CheckEvents(events));
  const std::scoped_lock lock(mutex_);
  RECKON_ASSIGN(SqlTransaction transaction, SqlTransaction::BeginWrite(*connection_));
  RECKON_TRY(WriteNodes(nodes));
  RECKON_TRY(InsertEvents(events));
  return transaction.Commit();
}

base::Result<std::vector<core::NodeRecord>> SqlStore::ListNodes() {
  const std::scoped_lock lock(mutex_);
  RECKON_ASSIGN(const auto list,
                connection_->Prepare("SELECT name, document FROM node ORDER BY name"));
  list->Bind();
  std::vector<core::NodeRecord> nodes;
  for (;;) {
    RECKON_ASSIGN(const bool has_row, list->Step());
    if (!has_row) return nodes;
    nodes.push_back({list->String(0), list->String(1)});
  }
}

}  // namespace reckon::store
