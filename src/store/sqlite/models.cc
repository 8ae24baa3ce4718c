// SqliteStore: models and forecasts.
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "store/checks.h"
#include "store/sqlite/micros.h"
#include "store/sqlite/sqlite_store.h"
#include "store/sqlite/transaction.h"

namespace reckon::store {
namespace {

constexpr std::string_view kModelById = "SELECT 1 FROM model WHERE id = ?1";

base::Error UnknownModel(int64_t id, const std::filesystem::path& path) {
  return {base::ErrorCode::kNotFound, fmt::format("no model {} in store '{}'", id, path.string())};
}

// Of a row of: id, name, technique, target, data_fingerprint, created_at_us.
core::ModelRecord ModelOf(const SqliteStatement& row) {
  return {.id = row.Integer(0),
          .name = row.String(1),
          .technique = row.String(2),
          .target = row.String(3),
          .data_fingerprint = row.String(4),
          .document = {},
          .created_at = FromMicros(row.Integer(5))};
}

base::Result<std::vector<std::string>> ParseStrings(std::string_view text) {
  RECKON_ASSIGN(const base::Json parsed, base::ParseJson(text, "reasons of a stored forecast"));
  std::vector<std::string> strings;
  for (const base::Json& item : parsed) {
    if (!item.is_string()) {
      return base::Error(base::ErrorCode::kCorrupt, "a reason of a stored forecast is no text");
    }
    strings.push_back(item.get<std::string>());
  }
  return strings;
}

}  // namespace

base::Result<int64_t> SqliteStore::SaveModel(const core::ModelRecord& model) {
  RECKON_TRY(CheckName("model", model.name));
  RECKON_TRY(CheckJson(fmt::format("the document of model '{}'", model.name), model.document));
  const std::scoped_lock lock(mutex_);
  RECKON_ASSIGN(SqliteTransaction transaction, SqliteTransaction::BeginWrite(*connection_));
  RECKON_ASSIGN(
      SqliteStatement insert,
      connection_->Prepare("INSERT INTO model"
                           " (name, technique, target, data_fingerprint, document, created_at_us)"
                           " VALUES (?1, ?2, ?3, ?4, ?5, ?6)"));
  RECKON_TRY(insert
                 .Bind(model.name, model.technique, model.target, model.data_fingerprint,
                       model.document, ToMicros(clock_.Now()))
                 .Run());
  const int64_t id = connection_->LastInsertId();
  RECKON_TRY(transaction.Commit());
  return id;
}

base::Result<core::ModelRecord> SqliteStore::FindModel(std::string_view name) {
  const std::scoped_lock lock(mutex_);
  RECKON_ASSIGN(SqliteStatement find,
                connection_->Prepare(
                    "SELECT id, name, technique, target, data_fingerprint, created_at_us, document"
                    " FROM model WHERE name = ?1 ORDER BY id DESC LIMIT 1"));
  RECKON_ASSIGN(const bool found, find.Bind(name).Step());
  if (!found) return UnknownName("model", name, "SELECT DISTINCT name FROM model ORDER BY name");
  core::ModelRecord model = ModelOf(find);
  model.document = find.String(6);
  return model;
}

base::Result<std::vector<core::ModelRecord>> SqliteStore::ListModels() {
  const std::scoped_lock lock(mutex_);
  RECKON_ASSIGN(SqliteStatement list,
                connection_->Prepare("SELECT id, name, technique, target, data_fingerprint,"
                                     " created_at_us FROM model ORDER BY id DESC"));
  std::vector<core::ModelRecord> models;
  for (;;) {
    RECKON_ASSIGN(const bool has_row, list.Step());
    if (!has_row) return models;
    models.push_back(ModelOf(list));
  }
}

base::Status SqliteStore::AddForecasts(std::span<const core::ForecastRecord> forecasts) {
  for (const core::ForecastRecord& record : forecasts) {
    RECKON_TRY(CheckJsonObject("the question of a forecast", record.question));
  }
  const int64_t now_us = ToMicros(clock_.Now());
  const std::scoped_lock lock(mutex_);
  RECKON_ASSIGN(SqliteTransaction transaction, SqliteTransaction::BeginWrite(*connection_));
  RECKON_ASSIGN(
      SqliteStatement insert,
      connection_->Prepare("INSERT INTO forecast (model_id, question, predicted, lower, upper,"
                           " in_support, outside, created_at_us)"
                           " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)"));
  for (const core::ForecastRecord& record : forecasts) {
    RECKON_ASSIGN(const bool known, Exists(kModelById, record.model_id));
    if (!known) return UnknownModel(record.model_id, connection_->path());
    const core::Forecast& forecast = record.forecast;
    RECKON_TRY(insert
                   .Bind(record.model_id, record.question, forecast.predicted, forecast.lower,
                         forecast.upper, static_cast<int64_t>(forecast.in_support),
                         base::DumpJsonLine(base::Json(forecast.outside)), now_us)
                   .Run());
  }
  return transaction.Commit();
}

base::Result<std::vector<core::ForecastRecord>> SqliteStore::ListForecasts(int64_t model_id) {
  const std::scoped_lock lock(mutex_);
  RECKON_ASSIGN(SqliteTransaction transaction, SqliteTransaction::BeginRead(*connection_));
  RECKON_ASSIGN(const bool known, Exists(kModelById, model_id));
  if (!known) return UnknownModel(model_id, connection_->path());
  RECKON_ASSIGN(SqliteStatement list,
                connection_->Prepare("SELECT id, question, predicted, lower, upper, in_support,"
                                     " outside, created_at_us"
                                     " FROM forecast WHERE model_id = ?1 ORDER BY id"));
  list.Bind(model_id);
  std::vector<core::ForecastRecord> records;
  for (;;) {
    RECKON_ASSIGN(const bool has_row, list.Step());
    if (!has_row) return records;
    RECKON_ASSIGN(std::vector<std::string> outside, ParseStrings(list.Text(6)));
    records.push_back({.id = list.Integer(0),
                       .model_id = model_id,
                       .question = list.String(1),
                       .forecast = {.predicted = list.Real(2),
                                    .lower = list.Real(3),
                                    .upper = list.Real(4),
                                    .in_support = list.Integer(5) != 0,
                                    .outside = std::move(outside)},
                       .created_at = FromMicros(list.Integer(7))});
  }
}

}  // namespace reckon::store
