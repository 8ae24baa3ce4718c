// SqlStore: what runs have cost.
#include <cmath>

#include <fmt/format.h>

#include "store/sql/micros.h"
#include "store/sql/sql_store.h"
#include "store/sql/transaction.h"

namespace reckon::store {

base::Status SqlStore::SetCharge(const core::Charge& charge) {
  if (!std::isfinite(charge.dollars) || charge.dollars < 0) {
    return base::BadInput(
        fmt::format("run {} cannot cost {} dollars", charge.run_id, charge.dollars));
  }
  const std::scoped_lock lock(mutex_);
  RECKON_ASSIGN(SqlTransaction transaction, SqlTransaction::BeginWrite(*connection_));
  RECKON_ASSIGN(const bool known, Exists("SELECT 1 FROM run WHERE id = ?1", charge.run_id));
  if (!known) {
    return base::Error(base::ErrorCode::kNotFound,
                       fmt::format("no run {} in store '{}'", charge.run_id, connection_->name()));
  }
  RECKON_ASSIGN(
      const auto insert,
      connection_->Prepare("INSERT INTO charge (run_id, user_name, project, dollars, at_us)"
                           " VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT (run_id) DO UPDATE SET"
                           " user_name = excluded.user_name, project = excluded.project,"
                           " dollars = excluded.dollars"));
  RECKON_TRY(
      insert
          ->Bind(charge.run_id, charge.user, charge.project, charge.dollars, ToMicros(clock_.Now()))
          .Run());
  return transaction.Commit();
}

base::Result<std::vector<core::Spend>> SqlStore::ListSpend(std::optional<base::WallTime> since) {
  const std::scoped_lock lock(mutex_);
  RECKON_ASSIGN(const auto list,
                connection_->Prepare("SELECT user_name, project, count(*), sum(dollars) FROM charge"
                                     " WHERE at_us >= ?1 AND NOT EXISTS (SELECT 1 FROM managed_run"
                                     " WHERE managed_run.run_id = charge.run_id AND open = 1)"
                                     " GROUP BY user_name, project"
                                     " ORDER BY user_name, project"));
  list->Bind(since ? ToMicros(*since) : int64_t{0});
  std::vector<core::Spend> all;
  for (;;) {
    RECKON_ASSIGN(const bool has_row, list->Step());
    if (!has_row) return all;
    all.push_back({list->String(0), list->String(1), list->Integer(2), list->Real(3)});
  }
}

}  // namespace reckon::store
