#include "app/explain.h"

#include <fmt/format.h>

#include "app/model_source.h"
#include "base/text.h"
#include "learn/regressors/law_predictor.h"
#include "predict/contributions.h"
#include "predict/forecaster.h"
#include "predict/formula_writer.h"
#include "predict/scaling_words.h"
#include "predict/what_if.h"

namespace reckon::app {
namespace {

std::string MeasuredText(const learn::InputColumn& input) {
  if (input.kind == core::ColumnKind::kNumber) {
    return fmt::format("{}..{}", base::RoundTrip(input.min), base::RoundTrip(input.max));
  }
  constexpr size_t kShown = 12;
  std::vector<std::string> levels = input.levels;
  const size_t count = levels.size();
  if (count > kShown) levels.resize(kShown);
  std::string text = base::Join(levels, ", ");
  if (count > kShown) text += fmt::format(" and {} more", count - kShown);
  return text;
}

void ListParameters(const learn::Model& model, ExplainReport& report) {
  const learn::Formula formula = model.fitted.predictor->ToFormula();
  const auto* law = std::get_if<learn::PowerLawFormula>(&formula);
  if (law == nullptr || law->spread.fits == 0) return;
  report.fits = law->spread.fits;
  const std::vector<learn::LawParameter> parameters = learn::LawParameters(*law, model.schema);
  for (size_t i = 0; i < parameters.size(); ++i) {
    report.parameters.push_back(
        {parameters[i].name, parameters[i].value, law->spread.mean[i], law->spread.deviation[i]});
  }
}

base::Status ExplainForecast(const ExplainRequest& request, const learn::Model& model,
                             const Context& context, ExplainReport& report) {
  RECKON_ASSIGN(predict::WhatIf what_if, predict::BuildWhatIf(model.schema, request.set));
  if (what_if.questions.row_count != 1) {
    return base::BadInput(fmt::format(
        "--set asks for {} forecasts; expected one value a column to explain one forecast",
        what_if.questions.row_count));
  }
  RECKON_ASSIGN(std::vector<core::Forecast> forecasts,
                predict::MakeForecasts(model, what_if.questions, context.stop, context.progress));
  RECKON_ASSIGN(const learn::EncodedInputs inputs,
                learn::EncodeInputs(what_if.questions, model.schema));
  report.forecast = forecasts.front();
  report.contributions = predict::Contributions(model, inputs.x.row(0));
  report.notes = std::move(what_if.notes);
  return {};
}

}  // namespace

base::Result<ExplainReport> Explain(const ExplainRequest& request, const Context& context) {
  RECKON_ASSIGN(const predict::FormulaLanguage language,
                predict::ParseFormulaLanguage(request.format));
  if (!request.set.empty() && language != predict::FormulaLanguage::kText) {
    return base::BadInput(
        fmt::format("--set explains one forecast in text; --format {} writes the whole formula",
                    request.format));
  }
  RECKON_ASSIGN(const LoadedModel loaded, LoadModel(request.model, context));
  const learn::Model& model = loaded.model;
  ExplainReport report;
  report.model = loaded.name;
  report.technique = model.fitted.candidate.technique;
  report.description = model.fitted.candidate.Describe();
  report.target = model.schema.target;
  report.scale = learn::TargetScaleName(model.fitted.candidate.scale);
  report.extrapolate = model.extrapolate;
  report.rows = model.rows;
  report.data_fingerprint = model.data_fingerprint;
  report.format = request.format;
  report.formula = predict::WriteFormula(model, language);
  report.scaling = predict::ScalingInWords(model);
  ListParameters(model, report);
  for (const learn::InputColumn& input : model.schema.inputs) {
    report.columns.push_back({input.name, core::ColumnKindName(input.kind), MeasuredText(input)});
  }
  for (const learn::LeaderboardRow& row : model.leaderboard) {
    report.leaderboard.push_back({row.technique, row.description, row.training, row.selection,
                                  std::nullopt, report.leaderboard.empty()});
  }
  if (!request.set.empty()) RECKON_TRY(ExplainForecast(request, model, context, report));
  return report;
}

}  // namespace reckon::app
