#include "app/predict.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/forecast_chart.h"
#include "app/model_source.h"
#include "base/file.h"
#include "base/json.h"
#include "base/text.h"
#include "learn/validate/metrics.h"
#include "predict/forecaster.h"
#include "predict/what_if.h"
#include "tables/writer.h"

namespace reckon::app {
namespace {

using base::Result;
using base::Status;

const std::vector<std::string> kAddedColumns{"predicted", "lower", "upper", "in_support"};

bool IsPlainFile(const std::string& path) {
  std::error_code ignored;
  return !path.empty() && path != "-" && std::filesystem::is_regular_file(path, ignored);
}

// Columns keep the kind they had in training: a category whose new cells all look like numbers
// is still a category.
Result<DataRequest> WithKindsOfModel(DataRequest request, const learn::Schema& schema) {
  // What can be read only once is taken as it comes.
  if (request.format != "samples" || !IsPlainFile(request.file)) return request;
  RECKON_ASSIGN(const tables::Source source, tables::Source::Open(request.file));
  RECKON_ASSIGN(const tables::ReadOptions options, ToReadOptions(request));
  RECKON_ASSIGN(const std::vector<std::string> header, tables::ReadHeader(source, options));
  for (const learn::InputColumn& input : schema.inputs) {
    const bool there = std::find(header.begin(), header.end(), input.name) != header.end();
    if (there && input.kind == core::ColumnKind::kCategory) request.category.push_back(input.name);
  }
  return request;
}

void AppendForecast(const core::Forecast& forecast, char delimiter, std::string& line) {
  for (const double number : {forecast.predicted, forecast.lower, forecast.upper}) {
    line += delimiter;
    line += base::RoundTrip(number);
  }
  line += delimiter;
  line += forecast.in_support ? "true" : "false";
}

core::Table WithForecasts(const core::Table& questions,
                          const std::vector<core::Forecast>& forecasts) {
  core::Table table = questions;
  const auto add = [&](const char* name, auto&& value_of) {
    std::vector<double> cells;
    for (const core::Forecast& forecast : forecasts) cells.push_back(value_of(forecast));
    table.columns.push_back(core::Column::Numbers(name, core::NumberVector::Of(cells)));
  };
  add("predicted", [](const core::Forecast& f) { return f.predicted; });
  add("lower", [](const core::Forecast& f) { return f.lower; });
  add("upper", [](const core::Forecast& f) { return f.upper; });
  std::vector<double> codes;
  for (const core::Forecast& forecast : forecasts) codes.push_back(forecast.in_support ? 1 : 0);
  table.columns.push_back(
      core::Column::Categories("in_support", {"false", "true"}, core::NumberVector::Of(codes)));
  return table;
}

Status WriteForecasts(const PredictRequest& request, const PredictReport& report,
                      const Context& context) {
  // Files are copied cell by cell, so that what the user wrote stays as it was written; what was
  // computed, read from another format or can be read only once is written from memory.
  const bool copy = request.data.format == "samples" && IsPlainFile(request.data.file);
  if (!copy) {
    for (const std::string& name : kAddedColumns) {
      if (report.questions.Find(name)) {
        return base::BadInput(
            fmt::format("{} already has a column '{}'", report.questions.source, name));
      }
    }
    return tables::WriteTable(WithForecasts(report.questions, report.forecasts), request.out);
  }
  RECKON_ASSIGN(const tables::Source source, tables::Source::Open(request.data.file));
  RECKON_ASSIGN(base::AtomicFile file, base::AtomicFile::Create(request.out));
  const char delimiter = tables::DelimiterFor(request.out);
  tables::Extras extras;
  extras.names = kAddedColumns;
  extras.row_count = report.forecasts.size();
  extras.append = [&](size_t row, std::string& line) -> Status {
    AppendForecast(report.forecasts[row], delimiter, line);
    return {};
  };
  RECKON_ASSIGN(const tables::ReadOptions options, ToReadOptions(request.data));
  RECKON_TRY(tables::CopyWithColumns(source, options, extras, delimiter, file, context.stop,
                                     context.progress));
  return file.Commit();
}

void MeasureAgainstTruth(PredictReport& report) {
  const auto target = report.questions.Find(report.target);
  if (!target || report.questions.columns[*target].kind() != core::ColumnKind::kNumber) return;
  std::vector<double> truth;
  std::vector<double> predicted;
  size_t covered = 0;
  for (size_t row = 0; row < report.questions.row_count; ++row) {
    const double actual = report.questions.columns[*target][row];
    if (std::isnan(actual)) continue;
    const core::Forecast& forecast = report.forecasts[row];
    truth.push_back(actual);
    predicted.push_back(forecast.predicted);
    if (forecast.lower <= actual && actual <= forecast.upper) ++covered;
  }
  if (truth.empty()) return;
  const auto size = static_cast<Eigen::Index>(truth.size());
  report.error = learn::Measure(Eigen::Map<const numeric::Vector>(truth.data(), size),
                                Eigen::Map<const numeric::Vector>(predicted.data(), size));
  report.coverage_percent =
      100.0 * static_cast<double>(covered) / static_cast<double>(truth.size());
}

Status KeepInStore(const PredictReport& report, int64_t model_id, const Context& context) {
  std::vector<core::ForecastRecord> records;
  const size_t count = std::min(report.forecasts.size(), kMostKept);
  for (size_t row = 0; row < count; ++row) {
    base::Json question = base::Json::object();
    for (const core::Column& column : report.questions.columns) {
      if (std::isnan(column[row])) continue;
      if (column.kind() == core::ColumnKind::kNumber) {
        question[column.name()] = column[row];
      } else {
        question[column.name()] = column.Text(row);
      }
    }
    core::ForecastRecord record;
    record.model_id = model_id;
    record.question = base::DumpJsonLine(question);
    record.forecast = report.forecasts[row];
    records.push_back(std::move(record));
  }
  RECKON_ASSIGN(const auto store, OpenStore(context, false));
  return store->AddForecasts(records);
}

Status Plot(const PredictRequest& request, const learn::Model& model, const PredictReport& report,
            const Context& context) {
  std::optional<core::Table> measured;
  if (!request.measured.empty()) {
    DataRequest data;
    data.file = request.measured;
    RECKON_ASSIGN(const DataRequest typed, WithKindsOfModel(data, model.schema));
    RECKON_ASSIGN(measured, LoadData(typed, context));
    std::vector<std::string> needed = model.schema.Names();
    needed.push_back(model.schema.target);
    for (const std::string& name : needed) {
      if (!measured->Find(name)) {
        return base::BadInput(fmt::format("--measured {}: no column '{}'{}", request.measured, name,
                                          base::SuggestFrom(name, measured->Names())));
      }
    }
  }
  const bool has_answers = report.questions.Find(report.target).has_value();
  const core::Table* dots = measured ? &*measured : (has_answers ? &report.questions : nullptr);
  return base::WriteFile(request.plot,
                         DrawForecasts({model, report.questions, report.forecasts, dots}));
}

}  // namespace

Result<PredictReport> Predict(const PredictRequest& request, const Context& context) {
  const bool from_table = !request.data.file.empty() || !request.data.samples.empty();
  if (from_table && !request.set.empty()) {
    return base::BadInput("--data and --set were both given; expected one of them");
  }
  if (!from_table && request.set.empty()) {
    return base::BadInput("no question; give rows with --data, or ask with --set COLUMN=VALUES");
  }
  RECKON_ASSIGN(const LoadedModel loaded, LoadModel(request.model, context));
  const learn::Model& model = loaded.model;
  PredictReport report;
  report.model = loaded.name;
  report.technique = model.fitted.candidate.technique;
  report.target = model.schema.target;
  report.level = model.interval.level;
  if (from_table) {
    DataRequest data = request.data;
    if (!data.file.empty()) {
      RECKON_ASSIGN(data, WithKindsOfModel(data, model.schema));
    }
    RECKON_ASSIGN(report.questions, LoadData(data, context));
  } else {
    RECKON_ASSIGN(predict::WhatIf what_if, predict::BuildWhatIf(model.schema, request.set));
    report.questions = std::move(what_if.questions);
    report.notes = std::move(what_if.notes);
  }
  RECKON_ASSIGN(report.forecasts,
                predict::MakeForecasts(model, report.questions, context.stop, context.progress));
  report.in_support = static_cast<size_t>(
      std::count_if(report.forecasts.begin(), report.forecasts.end(),
                    [](const core::Forecast& forecast) { return forecast.in_support; }));
  if (model.extrapolate.empty() && report.in_support < report.forecasts.size()) {
    report.notes.push_back(
        fmt::format("{} forecasts lie outside what was measured, and this model was chosen for "
                    "forecasts inside; fit with --extrapolate COLUMN for such questions",
                    report.forecasts.size() - report.in_support));
  }
  MeasureAgainstTruth(report);
  if (!request.out.empty()) {
    RECKON_TRY(WriteForecasts(request, report, context));
    report.out = request.out;
  }
  if (!request.plot.empty()) {
    RECKON_TRY(Plot(request, model, report, context));
    report.plot = request.plot;
  }
  if (loaded.store_id) RECKON_TRY(KeepInStore(report, *loaded.store_id, context));
  return report;
}

}  // namespace reckon::app
