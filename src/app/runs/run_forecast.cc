#include "app/runs/run_forecast.h"

#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/runs/run_samples.h"
#include "base/text.h"
#include "predict/forecaster.h"

namespace reckon::app {
namespace {

using base::Json;

// The columns of `question` that the model asks for.
std::string QuestionText(const learn::Schema& schema, const core::Table& question) {
  Json asked = Json::object();
  for (const learn::InputColumn& input : schema.inputs) {
    const core::Column& column = question.columns[*question.Find(input.name)];
    if (std::isnan(column[0])) continue;
    if (column.kind() == core::ColumnKind::kCategory) {
      asked[input.name] = column.Text(0);
    } else {
      asked[input.name] = column[0];
    }
  }
  return base::DumpJsonLine(asked);
}

std::optional<double> ActualOf(const core::Run& run, const Json& job, const Json& plan,
                               const RunView& view, const std::string& target) {
  if (run.state != core::RunState::kFinished) return std::nullopt;
  for (const core::CollectedRows& samples : SamplesOf(run.id, run.name, job, plan, view)) {
    const auto column = samples.rows.Find(target);
    if (column && samples.rows.row_count == 1) return samples.rows.columns[*column][0];
  }
  return std::nullopt;
}

}  // namespace

base::Result<RunForecast> ForecastRun(const LoadedModel& loaded, const Json& job,
                                      const Json& plan) {
  const core::Table question = InputsOf(job, plan);
  for (const learn::InputColumn& input : loaded.model.schema.inputs) {
    if (question.Find(input.name)) continue;
    return base::BadInput(fmt::format("model {} asks for column '{}', which a job does not have{}",
                                      loaded.name, input.name,
                                      base::SuggestFrom(input.name, question.Names())));
  }
  base::NoProgress progress;  // for one row
  RECKON_ASSIGN(const std::vector<core::Forecast> forecasts,
                predict::MakeForecasts(loaded.model, question, {}, progress));
  return RunForecast{loaded.name,
                     loaded.store_id,
                     QuestionText(loaded.model.schema, question),
                     loaded.model.schema.target,
                     forecasts.front(),
                     {}};
}

base::Status KeepForecast(const RunForecast& made, int64_t run_id, store::Store& store) {
  if (!made.model_id) return {};
  core::ForecastRecord record;
  record.model_id = *made.model_id;
  record.question = made.question;
  record.forecast = made.forecast;
  record.run_id = run_id;
  return store.AddForecasts(std::span(&record, 1));
}

Json ToJson(const RunForecast& forecast) {
  Json json;
  json["model"] = forecast.model;
  json["target"] = forecast.target;
  json["predicted"] = forecast.forecast.predicted;
  json["lower"] = forecast.forecast.lower;
  json["upper"] = forecast.forecast.upper;
  json["in_support"] = forecast.forecast.in_support;
  json["outside"] = forecast.forecast.outside;
  if (forecast.actual) json["actual"] = *forecast.actual;
  return json;
}

std::optional<RunForecast> ForecastOf(const core::Run& run, const RunView& view) {
  const Json plan = Json::parse(run.plan, nullptr, false);
  const Json job = Json::parse(run.job, nullptr, false);
  if (!plan.is_object() || !job.is_object() || !plan.contains("forecast")) return std::nullopt;
  const Json& json = plan["forecast"];
  RunForecast made;
  made.model = json.value("model", "");
  made.target = json.value("target", "");
  made.forecast.predicted = json.value("predicted", 0.0);
  made.forecast.lower = json.value("lower", 0.0);
  made.forecast.upper = json.value("upper", 0.0);
  made.forecast.in_support = json.value("in_support", true);
  made.forecast.outside = json.value("outside", std::vector<std::string>());
  made.actual = ActualOf(run, job, plan, view, made.target);
  return made;
}

}  // namespace reckon::app
