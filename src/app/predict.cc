#include "app/predict.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/forecast_chart.h"
#include "app/forecast_file.h"
#include "app/model_source.h"
#include "app/outputs.h"
#include "base/file.h"
#include "base/json.h"
#include "base/text.h"
#include "learn/validate/interval_tally.h"
#include "learn/validate/metrics.h"
#include "predict/forecaster.h"
#include "predict/what_if.h"

namespace reckon::app {
namespace {

using base::Result;
using base::Status;

void MeasureAgainstTruth(PredictReport& report) {
  const auto target = report.questions.Find(report.target);
  if (!target || report.questions.columns[*target].kind() != core::ColumnKind::kNumber) return;
  std::vector<double> truth;
  std::vector<double> predicted;
  learn::IntervalTally intervals(report.level);
  for (size_t row = 0; row < report.questions.row_count; ++row) {
    const double actual = report.questions.columns[*target][row];
    if (std::isnan(actual)) continue;
    const core::Forecast& forecast = report.forecasts[row];
    truth.push_back(actual);
    predicted.push_back(forecast.predicted);
    intervals.Add(actual, forecast.lower, forecast.upper);
  }
  if (truth.empty()) return;
  const auto size = static_cast<Eigen::Index>(truth.size());
  report.error = learn::Measure(Eigen::Map<const numeric::Vector>(truth.data(), size),
                                Eigen::Map<const numeric::Vector>(predicted.data(), size));
  report.coverage_percent = intervals.CoveragePercent();
  report.interval_score_percent = intervals.MeanScorePercent();
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

Result<base::AtomicFile> PreparePlot(const PredictRequest& request, const learn::Model& model,
                                     PredictReport& report, const Context& context) {
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
  RECKON_ASSIGN(base::AtomicFile file, base::AtomicFile::Create(request.plot));
  RECKON_TRY(
      file.Append(DrawForecasts({model, report.questions, report.forecasts, dots}, report.notes)));
  RECKON_TRY(file.Finish());
  return file;
}

Status CheckRequest(const PredictRequest& request, bool from_table, const Context& context) {
  if (from_table && !request.set.empty()) {
    return base::BadInput(fmt::format("{} and --set were both given; expected one of them",
                                      request.data.file.empty() ? "--samples" : "--data"));
  }
  if (!from_table && request.set.empty()) {
    return base::BadInput("no question; give rows with --data, or ask with --set COLUMN=VALUES");
  }
  if (!request.measured.empty() && request.plot.empty()) {
    return base::BadInput("--measured is drawn beside the forecast; give a picture with --plot");
  }
  const std::string extension = std::filesystem::path(request.plot).extension().string();
  if (!request.plot.empty() && !extension.empty() && extension != ".svg") {
    return base::BadInput(fmt::format(
        "--plot {}: pictures are SVG; expected a name that ends in .svg", request.plot));
  }
  return CheckOutputs(
      {{"--out", request.out}, {"--plot", request.plot}},
      {{"--data", request.data.file}, {"--model", request.model}, {"--measured", request.measured}},
      context);
}

Result<LoadedModel> Load(const PredictRequest& request, const Context& context) {
  if (!request.stored) return LoadModel(request.model, context);
  RECKON_ASSIGN(const auto store, OpenStore(context, false));
  return LoadStoredModel(request.model, *store);
}

}  // namespace

Result<PredictReport> Predict(const PredictRequest& request, const Context& context) {
  const bool from_table = !request.data.file.empty() || !request.data.samples.empty();
  RECKON_TRY(CheckRequest(request, from_table, context));
  RECKON_ASSIGN(const LoadedModel loaded, Load(request, context));
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
    report.granted = std::move(what_if.granted);
    report.notes = std::move(what_if.notes);
  }
  RECKON_ASSIGN(report.forecasts,
                predict::MakeForecasts(model, report.questions, context.stop, context.progress));
  report.in_support = static_cast<size_t>(
      std::count_if(report.forecasts.begin(), report.forecasts.end(),
                    [](const core::Forecast& forecast) { return forecast.in_support; }));
  const auto beyond = std::count_if(report.forecasts.begin(), report.forecasts.end(),
                                    [](const core::Forecast& f) { return f.beyond; });
  if (model.extrapolate.empty() && beyond > 0) {
    report.notes.push_back(
        fmt::format("{} outside what was measured, and this model was chosen for forecasts inside; "
                    "fit with --extrapolate COLUMN for such questions",
                    base::Count(static_cast<uint64_t>(beyond), "forecast")));
  }
  MeasureAgainstTruth(report);
  // Whatever can fail comes before the first file appears under its name.
  std::vector<base::AtomicFile> files;
  if (!request.out.empty()) {
    RECKON_ASSIGN(base::AtomicFile file, PrepareForecastFile(request, report, context));
    files.push_back(std::move(file));
    report.out = request.out;
  }
  if (!request.plot.empty()) {
    RECKON_ASSIGN(base::AtomicFile file, PreparePlot(request, model, report, context));
    files.push_back(std::move(file));
    report.plot = request.plot;
  }
  if (loaded.store_id) RECKON_TRY(KeepInStore(report, *loaded.store_id, context));
  for (base::AtomicFile& file : files) RECKON_TRY(file.Commit());
  return report;
}

}  // namespace reckon::app
