// SqlStore: trained models that were published.
#include <fmt/format.h>

#include "store/checks.h"
#include "store/sql/micros.h"
#include "store/sql/sql_store.h"
#include "store/sql/transaction.h"

namespace reckon::store {
namespace {

constexpr std::string_view kPublishedColumns = "name, version, run_id, state, document, created_us";

core::PublishedModel PublishedOf(const SqlStatement& row) {
  core::PublishedModel model;
  model.name = row.String(0);
  model.version = row.Integer(1);
  model.run_id = row.Integer(2);
  model.state = core::ParsePublishedState(row.String(3));
  model.document = row.String(4);
  model.created_at = FromMicros(row.Integer(5));
  return model;
}

}  // namespace

base::Result<core::PublishedModel> SqlStore::AddPublished(const core::PublishedModel& model) {
  RECKON_TRY(CheckName("published model", model.name));
  RECKON_TRY(CheckJsonObject("the document of a published model", model.document));
  const std::scoped_lock lock(mutex_);
  RECKON_ASSIGN(SqlTransaction transaction, SqlTransaction::BeginWrite(*connection_));
  RECKON_ASSIGN(const bool known, Exists("SELECT 1 FROM run WHERE id = ?1", model.run_id));
  if (!known) {
    return base::Error(base::ErrorCode::kNotFound,
                       fmt::format("no run {} in store '{}'", model.run_id, connection_->name()));
  }
  core::PublishedModel added = model;
  if (added.state == core::PublishedState::kLive) RECKON_TRY(Retire(added.name));
  added.created_at = clock_.Now();
  RECKON_ASSIGN(const auto newest,
                connection_->Prepare("SELECT coalesce(max(version), 0) FROM published_model"
                                     " WHERE name = ?1"));
  RECKON_TRY(newest->Bind(model.name).Step());
  added.version = newest->Integer(0) + 1;
  RECKON_ASSIGN(const auto insert,
                connection_->Prepare("INSERT INTO published_model (name, version, run_id, state,"
                                     " document, created_us) VALUES (?1, ?2, ?3, ?4, ?5, ?6)"));
  RECKON_TRY(insert
                 ->Bind(added.name, added.version, added.run_id,
                        std::string(core::PublishedStateName(added.state)), added.document,
                        ToMicros(added.created_at))
                 .Run());
  RECKON_TRY(transaction.Commit());
  return added;
}

base::Status SqlStore::Retire(std::string_view name) {
  RECKON_ASSIGN(const auto retire,
                connection_->Prepare("UPDATE published_model SET state = 'retired'"
                                     " WHERE name = ?1 AND state = 'live'"));
  return retire->Bind(std::string(name)).Run();
}

base::Result<std::vector<core::PublishedModel>> SqlStore::ListPublished() {
  const std::scoped_lock lock(mutex_);
  RECKON_ASSIGN(const auto list, connection_->Prepare(fmt::format("SELECT {} FROM published_model"
                                                                  " ORDER BY name, version",
                                                                  kPublishedColumns)));
  list->Bind();
  std::vector<core::PublishedModel> models;
  for (;;) {
    RECKON_ASSIGN(const bool has_row, list->Step());
    if (!has_row) return models;
    models.push_back(PublishedOf(*list));
  }
}

base::Status SqlStore::SetLive(std::string_view name, int64_t version) {
  const std::scoped_lock lock(mutex_);
  RECKON_ASSIGN(SqlTransaction transaction, SqlTransaction::BeginWrite(*connection_));
  RECKON_ASSIGN(const auto find, connection_->Prepare("SELECT 1 FROM published_model"
                                                      " WHERE name = ?1 AND version = ?2"));
  RECKON_ASSIGN(const bool known, find->Bind(std::string(name), version).Step());
  if (!known) {
    return base::Error(base::ErrorCode::kNotFound,
                       fmt::format("no version {} of '{}' was published", version, name));
  }
  RECKON_TRY(Retire(name));
  RECKON_ASSIGN(const auto promote, connection_->Prepare("UPDATE published_model SET state = 'live'"
                                                         " WHERE name = ?1 AND version = ?2"));
  RECKON_TRY(promote->Bind(std::string(name), version).Run());
  return transaction.Commit();
}

}  // namespace reckon::store
