#include "app/runs/run_forecast.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/data.h"
#include "app/model_source.h"
#include "app/runs/run_samples.h"
#include "base/text.h"
#include "predict/forecaster.h"

namespace reckon::app {
namespace {

using base::Json;

base::Status KeepForecast(const RunForecast& made, int64_t model_id, const Json& job,
                          const Context& context) {
  core::ForecastRecord record;
  record.model_id = model_id;
  record.question = base::DumpJsonLine(job);
  record.forecast = made.forecast;
  RECKON_ASSIGN(const auto store, OpenStore(context, false));
  return store->AddForecasts(std::span(&record, 1));
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

base::Result<RunForecast> ForecastRun(const std::string& name, const Json& job, const Json& plan,
                                      const Context& context) {
  RECKON_ASSIGN(const LoadedModel loaded, LoadModel(name, context));
  const core::Table question = InputsOf(job, plan);
  for (const learn::InputColumn& input : loaded.model.schema.inputs) {
    if (question.Find(input.name)) continue;
    return base::BadInput(fmt::format("model {} asks for column '{}', which a job does not have{}",
                                      name, input.name,
                                      base::SuggestFrom(input.name, question.Names())));
  }
  RECKON_ASSIGN(const std::vector<core::Forecast> forecasts,
                predict::MakeForecasts(loaded.model, question, context.stop, context.progress));
  RunForecast made{loaded.name, loaded.model.schema.target, forecasts.front(), {}};
  if (loaded.store_id) RECKON_TRY(KeepForecast(made, *loaded.store_id, job, context));
  return made;
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
