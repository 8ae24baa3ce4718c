#include "app/fit.h"

#include <fmt/format.h>

#include "app/model_source.h"
#include "app/outputs.h"
#include "base/file.h"
#include "learn/model_file.h"

namespace reckon::app {
namespace {

// As a file and a store keep it.
base::Result<std::string> DocumentOf(const learn::Model& model, const std::string& source) {
  std::string document = learn::ModelToText(model);
  // Numbers near the ends of the range of double can make weights or errors that are none.
  if (learn::ModelFromText(document, "model").ok()) return document;
  return base::BadInput(fmt::format(
      "{}: the numbers are too large or too small to fit '{}'; express them in other units", source,
      model.schema.target));
}

}  // namespace

base::Result<FitReport> Fit(const FitRequest& request, const Context& context) {
  RECKON_TRY(
      CheckOutputs({{"--out", request.out}}, {{"--data", request.learn.data.file}}, context));
  RECKON_ASSIGN(Prepared prepared, Prepare(request.learn, context));
  if (!request.extrapolate.empty()) {
    if (!prepared.search.preset.empty()) {
      return base::BadInput(
          "a preset is compared by folds inside the measured range; --extrapolate does not go with "
          "--preset (validate --extrapolate tells how far its best reaches)");
    }
    auto column = prepared.data.schema.FindInput(request.extrapolate);
    if (!column.ok()) return std::move(column).error().Wrap("--extrapolate " + request.extrapolate);
    if (prepared.data.schema.inputs[*column].kind != core::ColumnKind::kNumber) {
      return base::BadInput(
          fmt::format("--extrapolate {}: the column is not numeric", request.extrapolate));
    }
    prepared.search.question.extrapolate = *column;
  }
  prepared.search.repeats = request.repeats;
  RECKON_ASSIGN(learn::SearchOutcome outcome,
                learn::Search(prepared.data, prepared.search, context.stop, context.progress));
  FitReport report;
  report.target = prepared.data.schema.target;
  report.rows = prepared.data.rows();
  report.inputs = prepared.data.schema.Names();
  report.extrapolate = request.extrapolate;
  report.practised_beyond = outcome.practised_beyond;
  report.notes = prepared.notes;
  report.notes.insert(report.notes.end(), outcome.notes.begin(), outcome.notes.end());
  const std::optional<double> r2 = outcome.contenders.front().selection.r2;
  if (request.extrapolate.empty() && r2 && *r2 < 0) {
    report.notes.push_back(fmt::format(
        "forecasts of rows held out are worse than their mean would be (R2 {:.2f}): the inputs say "
        "little about '{}', or there are too few rows",
        *r2, report.target));
  }
  if (request.repeats > 1 && outcome.contenders.front().fitted.candidate.technique != "generic") {
    report.notes.push_back(
        "--repeats: only the generic law has a seed that a fit could depend on, and another model "
        "was chosen");
  }
  for (const learn::Contender& contender : outcome.contenders) {
    const learn::Candidate& candidate = contender.fitted.candidate;
    report.leaderboard.push_back({candidate.technique, candidate.Describe(), contender.training,
                                  contender.selection, std::nullopt, report.leaderboard.empty()});
    report.tried += contender.tried;
  }
  if (request.leaderboard) {
    RECKON_ASSIGN(report.standings,
                  learn::CompareByQuestion(prepared.data, outcome.contenders, prepared.search,
                                           context.clock, context.stop, context.progress));
    if (const auto& column = report.standings->column) {
      report.standings_column = prepared.data.schema.inputs[*column].name;
    }
  }
  learn::Model model = MakeModel(prepared.data, prepared.search, std::move(outcome));
  model.data_fingerprint = FingerprintOf(prepared.table);
  if (request.learn.data.file.empty()) {
    RECKON_ASSIGN(model.origin.samples, SamplesAskedFor(request.learn.data, context));
    model.origin.ignored = request.learn.ignore;
    model.origin.techniques = request.learn.techniques;
  }
  RECKON_ASSIGN(const std::string document, DocumentOf(model, prepared.table.source));
  // The file is complete before the store changes, and gets its name when the store has changed.
  std::optional<base::AtomicFile> file;
  if (!request.out.empty()) {
    RECKON_ASSIGN(base::AtomicFile created, base::AtomicFile::Create(request.out));
    RECKON_TRY(created.Append(document));
    RECKON_TRY(created.Finish());
    file.emplace(std::move(created));
    report.out = request.out;
  }
  if (!request.save.empty()) {
    RECKON_TRY(SaveModel(request.save, model, document, context));
    report.saved = request.save;
  }
  if (file) RECKON_TRY(file->Commit());
  return report;
}

}  // namespace reckon::app
