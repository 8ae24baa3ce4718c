// SqlStore: models and forecasts.
#include <algorithm>
#include <cmath>
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

constexpr std::string_view kModelById = "SELECT 1 FROM model WHERE id = ?1";

base::Error UnknownModel(int64_t id, std::string_view store) {
  return {base::ErrorCode::kNotFound, fmt::format("no model {} in store '{}'", id, store)};
}

// Of a row of: id, name, technique, target, data_fingerprint, created_at_us.
core::ModelRecord ModelOf(const SqlStatement& row) {
  return {.id = row.Integer(0),
          .name = row.String(1),
          .technique = row.String(2),
          .target = row.Bytes(3),
          .data_fingerprint = row.String(4),
          .document = {},
          .created_at = FromMicros(row.Integer(5))};
}

constexpr std::string_view kForecastColumns =
    "f.id, f.model_id, f.question, f.predicted, f.lower, f.upper, f.in_support, f.outside,"
    " f.created_at_us, f.run_id, f.actual";
constexpr int kForecastColumnCount = 11;

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

// Of a row that begins with kForecastColumns.
base::Result<core::ForecastRecord> ForecastOf(const SqlStatement& row) {
  RECKON_ASSIGN(std::vector<std::string> outside, ParseStrings(row.Text(7)));
  return core::ForecastRecord{
      .id = row.Integer(0),
      .model_id = row.Integer(1),
      .question = row.String(2),
      .forecast = {.predicted = row.Real(3),
                   .lower = row.Real(4),
                   .upper = row.Real(5),
                   .in_support = row.Integer(6) != 0,
                   .outside = std::move(outside)},
      .created_at = FromMicros(row.Integer(8)),
      .run_id = row.OptionalInteger(9),
      .actual = row.IsNull(10) ? std::nullopt : std::optional(row.Real(10))};
}

}  // namespace

base::Result<int64_t> SqlStore::SaveModel(const core::ModelRecord& model) {
  RECKON_TRY(CheckName("model", model.name));
  RECKON_TRY(CheckJson(fmt::format("the document of model '{}'", model.name), model.document));
  const std::scoped_lock lock(mutex_);
  RECKON_ASSIGN(SqlTransaction transaction, SqlTransaction::BeginWrite(*connection_));
  RECKON_ASSIGN(
      const auto insert,
      connection_->Prepare("INSERT INTO model"
                           " (name, technique, target, data_fingerprint, document, created_at_us)"
                           " VALUES (?1, ?2, ?3, ?4, ?5, ?6) RETURNING id"));
  RECKON_ASSIGN(const int64_t id,
                insert
                    ->Bind(model.name, model.technique, SqlBytes{model.target},
                           model.data_fingerprint, model.document, ToMicros(clock_.Now()))
                    .RunForNumber());
  RECKON_TRY(transaction.Commit());
  return id;
}

base::Result<core::ModelRecord> SqlStore::FindModel(std::string_view name) {
  const std::scoped_lock lock(mutex_);
  RECKON_ASSIGN(const auto find,
                connection_->Prepare(
                    "SELECT id, name, technique, target, data_fingerprint, created_at_us, document"
                    " FROM model WHERE name = ?1 ORDER BY id DESC LIMIT 1"));
  RECKON_ASSIGN(const bool found, find->Bind(name).Step());
  if (!found) return UnknownName("model", name, "SELECT DISTINCT name FROM model ORDER BY name");
  core::ModelRecord model = ModelOf(*find);
  model.document = find->String(6);
  return model;
}

base::Result<std::vector<core::ModelRecord>> SqlStore::ListModels() {
  const std::scoped_lock lock(mutex_);
  RECKON_ASSIGN(const auto list,
                connection_->Prepare("SELECT id, name, technique, target, data_fingerprint,"
                                     " created_at_us FROM model ORDER BY id DESC"));
  std::vector<core::ModelRecord> models;
  for (;;) {
    RECKON_ASSIGN(const bool has_row, list->Step());
    if (!has_row) return models;
    models.push_back(ModelOf(*list));
  }
}

base::Status SqlStore::AddForecasts(std::span<const core::ForecastRecord> forecasts) {
  for (const core::ForecastRecord& record : forecasts) {
    RECKON_TRY(CheckJsonObject("the question of a forecast", record.question));
  }
  const int64_t now_us = ToMicros(clock_.Now());
  const std::scoped_lock lock(mutex_);
  RECKON_ASSIGN(SqlTransaction transaction, SqlTransaction::BeginWrite(*connection_));
  RECKON_ASSIGN(
      const auto insert,
      connection_->Prepare("INSERT INTO forecast (model_id, question, predicted, lower, upper,"
                           " in_support, outside, created_at_us, run_id)"
                           " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)"));
  for (const core::ForecastRecord& record : forecasts) {
    RECKON_ASSIGN(const bool known, Exists(kModelById, record.model_id));
    if (!known) return UnknownModel(record.model_id, connection_->name());
    if (record.run_id) {
      RECKON_ASSIGN(const bool run, Exists("SELECT 1 FROM run WHERE id = ?1", *record.run_id));
      if (!run) {
        return base::Error(
            base::ErrorCode::kNotFound,
            fmt::format("no run {} in store '{}'", *record.run_id, connection_->name()));
      }
    }
    const core::Forecast& forecast = record.forecast;
    RECKON_TRY(insert
                   ->Bind(record.model_id, record.question, forecast.predicted, forecast.lower,
                          forecast.upper, static_cast<int64_t>(forecast.in_support),
                          base::DumpJsonLine(base::Json(forecast.outside)), now_us, record.run_id)
                   .Run());
  }
  return transaction.Commit();
}

base::Result<std::vector<core::ForecastRecord>> SqlStore::ListForecasts(int64_t model_id) {
  const std::scoped_lock lock(mutex_);
  RECKON_ASSIGN(SqlTransaction transaction, SqlTransaction::BeginRead(*connection_));
  RECKON_ASSIGN(const bool known, Exists(kModelById, model_id));
  if (!known) return UnknownModel(model_id, connection_->name());
  RECKON_ASSIGN(
      const auto list,
      connection_->Prepare(fmt::format(
          "SELECT {} FROM forecast f WHERE f.model_id = ?1 ORDER BY f.id", kForecastColumns)));
  list->Bind(model_id);
  std::vector<core::ForecastRecord> records;
  for (;;) {
    RECKON_ASSIGN(const bool has_row, list->Step());
    if (!has_row) return records;
    RECKON_ASSIGN(core::ForecastRecord record, ForecastOf(*list));
    records.push_back(std::move(record));
  }
}

base::Result<std::vector<core::FinishedForecast>> SqlStore::ListFinishedForecasts(
    std::string_view model, size_t limit) {
  const std::scoped_lock lock(mutex_);
  RECKON_ASSIGN(const auto list,
                connection_->Prepare(fmt::format(
                    "SELECT {}, m.name, m.target, r.name, r.changed_at_us FROM forecast f"
                    " JOIN run r ON r.id = f.run_id JOIN model m ON m.id = f.model_id"
                    " WHERE r.state = 'finished' AND (?1 = '' OR m.name = ?1)"
                    " ORDER BY f.id DESC LIMIT ?2",
                    kForecastColumns)));
  list->Bind(model, static_cast<int64_t>(limit));
  std::vector<core::FinishedForecast> found;
  for (;;) {
    RECKON_ASSIGN(const bool has_row, list->Step());
    if (!has_row) break;
    core::FinishedForecast one;
    RECKON_ASSIGN(one.record, ForecastOf(*list));
    one.model = list->String(kForecastColumnCount);
    one.target = list->Bytes(kForecastColumnCount + 1);
    one.run_name = list->String(kForecastColumnCount + 2);
    one.finished_at = FromMicros(list->Integer(kForecastColumnCount + 3));
    found.push_back(std::move(one));
  }
  std::reverse(found.begin(), found.end());
  return found;
}

base::Status SqlStore::SetActual(int64_t forecast_id, double actual) {
  if (!std::isfinite(actual)) return base::BadInput("what a run took must be a number");
  const std::scoped_lock lock(mutex_);
  RECKON_ASSIGN(SqlTransaction transaction, SqlTransaction::BeginWrite(*connection_));
  RECKON_ASSIGN(const auto find, connection_->Prepare("SELECT run_id FROM forecast WHERE id = ?1"));
  RECKON_ASSIGN(const bool found, find->Bind(forecast_id).Step());
  if (!found) {
    return base::Error(base::ErrorCode::kNotFound, fmt::format("no forecast {} in store '{}'",
                                                               forecast_id, connection_->name()));
  }
  if (find->IsNull(0)) {
    return base::BadInput(fmt::format("forecast {} was given for no run", forecast_id));
  }
  RECKON_TRY(find->Run());
  RECKON_ASSIGN(
      const auto update,
      connection_->Prepare("UPDATE forecast SET actual = ?2 WHERE id = ?1 AND actual IS NULL"));
  RECKON_TRY(update->Bind(forecast_id, actual).Run());
  return transaction.Commit();
}

}  // namespace reckon::store
