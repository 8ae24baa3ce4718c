#include "app/explain.h"

#include <cmath>

#include <fmt/format.h>

#include "app/model_source.h"
#include "base/text.h"
#include "learn/identify/parameters.h"
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
  predict::Breakdown breakdown = predict::Contributions(model, inputs.x.row(0));
  report.contribution_scale = learn::TargetScaleName(breakdown.scale);
  report.contributions = std::move(breakdown.parts);
  for (std::string& note : what_if.notes) report.notes.push_back(std::move(note));
  return {};
}

void AddGaps(const std::vector<learn::Unidentified>& found, ExplainReport& report) {
  for (const learn::Unidentified& gap : found) {
    report.gaps.push_back(
        {std::string(learn::UnidentifiedName(gap.kind)), gap.columns, gap.what, gap.next});
  }
}

// The rows of the table that have a target, as the model sees them.
base::Result<learn::Dataset> RowsFor(const core::Table& table, const learn::Model& model) {
  const auto target = table.Find(model.schema.target);
  if (!target || table.columns[*target].kind() != core::ColumnKind::kNumber) {
    return base::BadInput(fmt::format("{}: no column '{}' of numbers{}", table.source,
                                      model.schema.target,
                                      base::SuggestFrom(model.schema.target, table.Names())));
  }
  learn::Dataset all;
  all.schema = model.schema;
  RECKON_ASSIGN(learn::EncodedInputs inputs, learn::EncodeInputs(table, model.schema));
  all.x = std::move(inputs.x);
  all.y.resize(all.x.rows());
  std::vector<size_t> rows;
  for (size_t row = 0; row < table.row_count; ++row) {
    const double y = table.columns[*target][row];
    all.y(static_cast<Eigen::Index>(row)) = y;
    // A category never seen has no parameter.
    if (std::isfinite(y) && inputs.problems[row].empty()) rows.push_back(row);
  }
  if (rows.size() < 3) {
    return base::BadInput(fmt::format("{}: {} rows with what the model knows; expected at least 3",
                                      table.source, rows.size()));
  }
  return all.Subset(rows);
}

base::Status ExplainParameters(const ExplainRequest& request, const learn::Model& model,
                               const Context& context, ExplainReport& report) {
  const learn::Fitted* parametric = learn::Parametric(model.fitted);
  if (parametric == nullptr) {
    report.notes.push_back(
        "--data: intervals are given for the parameters of linear models and laws; this model has "
        "none");
    return {};
  }
  DataRequest request_for_model = request.data;
  if (!request.data.file.empty()) {
    RECKON_ASSIGN(request_for_model, WithKindsOfModel(request.data, model.schema));
  }
  RECKON_ASSIGN(const core::Table table, LoadData(request_for_model, context));
  if (FingerprintOf(table) != model.data_fingerprint) {
    report.notes.push_back("these are not the rows the model was learned from");
  }
  RECKON_ASSIGN(const learn::Dataset data, RowsFor(table, model));
  learn::Question question;
  if (!model.extrapolate.empty()) {
    RECKON_ASSIGN(question.extrapolate, model.schema.FindInput(model.extrapolate));
  }
  const size_t resamples = request.resamples.value_or(kDefaultResamples);
  RECKON_ASSIGN(const std::vector<learn::ParameterInterval> intervals,
                learn::ParameterIntervals(
                    model.fitted, data, model.roles, question,
                    {.resamples = resamples, .seed = request.seed, .jobs = context.jobs},
                    context.stop, context.progress));
  report.resamples = resamples;
  report.parameters_of = parametric->candidate.technique;
  for (const learn::ParameterInterval& interval : intervals) {
    report.intervals.push_back({interval.parameter.name, interval.parameter.value, interval.lower,
                                interval.upper, interval.settled});
  }
  AddGaps(learn::UncertainParameters(intervals, model.schema), report);
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
  const bool with_data = !request.data.file.empty() || !request.data.samples.empty();
  if (with_data && language != predict::FormulaLanguage::kText) {
    return base::BadInput(
        fmt::format("--data tells in text how sure parameters are; --format {} writes the formula "
                    "alone",
                    request.format));
  }
  if (request.resamples.value_or(0) > kMostResamples) {
    return base::BadInput(
        fmt::format("--resamples {}; expected 2 to {}", *request.resamples, kMostResamples));
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
  AddGaps(model.unidentified, report);
  AddGaps(learn::FrozenTerms(model.fitted, model.schema), report);
  if (with_data) {
    RECKON_TRY(ExplainParameters(request, model, context, report));
  } else if (request.resamples) {
    report.notes.push_back("--resamples draws rows of --data anew, and there are none");
  }
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
