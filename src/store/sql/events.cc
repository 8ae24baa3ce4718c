// SqlStore: events.
#include <utility>

#include "store/checks.h"
#include "store/sql/micros.h"
#include "store/sql/sql_store.h"
#include "store/sql/transaction.h"

namespace reckon::store {
namespace {

// Of a row of: id, run_id, kind, detail, at_us.
core::Event EventOf(const SqlStatement& row) {
  return {.id = row.Integer(0),
          .run_id = row.OptionalInteger(1),
          .kind = row.String(2),
          .detail = row.String(3),
          .at = FromMicros(row.Integer(4))};
}

std::string_view DetailOf(const core::Event& event) {
  return event.detail.empty() ? "{}" : std::string_view(event.detail);
}

}  // namespace

base::Status SqlStore::CheckRunsOf(std::span<const core::Event> events) {
  std::optional<int64_t> known_run;  // of the event before: mostly they are of one run
  for (const core::Event& event : events) {
    if (!event.run_id || event.run_id == known_run) continue;
    RECKON_ASSIGN(const bool known, Exists("SELECT 1 FROM run WHERE id = ?1", *event.run_id));
    if (!known) return UnknownRun(*event.run_id);
    known_run = event.run_id;
  }
  return {};
}

base::Result<int64_t> SqlStore::InsertEvent(const core::Event& event, base::WallTime at) {
  RECKON_ASSIGN(const auto insert,
                connection_->Prepare("INSERT INTO event (run_id, kind, detail, at_us)"
                                     " VALUES (?1, ?2, ?3, ?4) RETURNING id"));
  return insert->Bind(event.run_id, event.kind, DetailOf(event), ToMicros(at)).RunForNumber();
}

base::Status SqlStore::InsertEvents(std::span<const core::Event> events) {
  if (events.empty()) return {};
  RECKON_TRY(CheckRunsOf(events));
  const int64_t now_us = ToMicros(clock_.Now());
  RECKON_ASSIGN(const auto rows, connection_->AddRows("event", "run_id, kind, detail, at_us"));
  for (const core::Event& event : events) {
    RECKON_TRY(rows->Add(event.run_id, event.kind, DetailOf(event), now_us));
  }
  return rows->Finish();
}

base::Result<int64_t> SqlStore::AddEvent(const core::Event& event) {
  RECKON_TRY(CheckEvent(event));
  const std::scoped_lock lock(mutex_);
  RECKON_ASSIGN(SqlTransaction transaction, SqlTransaction::BeginWrite(*connection_));
  RECKON_TRY(CheckRunsOf({&event, 1}));
  RECKON_ASSIGN(const int64_t id, InsertEvent(event, clock_.Now()));
  RECKON_TRY(transaction.Commit());
  return id;
}

base::Status SqlStore::AddEvents(std::span<const core::Event> events) {
  RECKON_TRY(CheckEvents(events));
  const std::scoped_lock lock(mutex_);
  RECKON_ASSIGN(SqlTransaction transaction, SqlTransaction::BeginWrite(*connection_));
  RECKON_TRY(InsertEvents(events));
  return transaction.Commit();
}

base::Result<std::vector<core::Event>> SqlStore::ListEvents(std::optional<int64_t> run_id,
                                                            int64_t after_id, size_t limit) {
  const std::scoped_lock lock(mutex_);
  // Two statements, so that each uses its index.
  RECKON_ASSIGN(const auto list,
                connection_->Prepare(run_id ? "SELECT id, run_id, kind, detail, at_us FROM event"
                                              " WHERE id > ?1 AND run_id = ?3 ORDER BY id LIMIT ?2"
                                            : "SELECT id, run_id, kind, detail, at_us FROM event"
                                              " WHERE id > ?1 ORDER BY id LIMIT ?2"));
  if (run_id) {
    list->Bind(after_id, SqlLimit(limit), *run_id);
  } else {
    list->Bind(after_id, SqlLimit(limit));
  }
  std::vector<core::Event> events;
  for (;;) {
    RECKON_ASSIGN(const bool has_row, list->Step());
    if (!has_row) return events;
    events.push_back(EventOf(*list));
  }
}

base::Result<int64_t> SqlStore::NewestEventId() {
  const std::scoped_lock lock(mutex_);
  return connection_->QueryInteger("SELECT coalesce(max(id), 0) FROM event");
}

}  // namespace reckon::store
