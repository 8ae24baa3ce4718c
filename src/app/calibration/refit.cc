#include "app/calibration/refit.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/calibration/outcomes.h"
#include "app/data.h"
#include "app/learning.h"
#include "app/model_source.h"
#include "base/text.h"
#include "learn/model.h"
#include "learn/model_file.h"
#include "numeric/stats.h"
#include "watch/calibration.h"

namespace reckon::app {
namespace {

using base::Json;
using base::Result;

constexpr size_t kMostForecasts = 1000;
constexpr size_t kMostTested = 10;
constexpr size_t kLeastTested = 2;
constexpr size_t kLeastRecent = 12;  // rows, to learn from them alone

// The question that the model answered, asked again of the samples as they are now.
LearnRequest RequestOf(const learn::Model& model) {
  LearnRequest learn;
  learn.data.samples = model.origin.samples;
  learn.target = model.schema.target;
  learn.ignore = model.origin.ignored;
  learn.techniques = model.origin.techniques;
  learn.seed = model.seed;
  return learn;
}

Result<Prepared> PrepareAgain(const learn::Model& model, const Context& context) {
  RECKON_ASSIGN(Prepared prepared, Prepare(RequestOf(model), context));
  const auto column = prepared.data.schema.FindInput(model.extrapolate);
  if (!model.extrapolate.empty() && column.ok()) prepared.search.question.extrapolate = *column;
  return prepared;
}

// Rows of the data with the numbers of their runs; 0 where rows have none.
std::vector<int64_t> RunsOf(const Prepared& prepared) {
  std::vector<int64_t> runs;
  const auto column = prepared.table.Find("run");
  for (const uint32_t row : prepared.data.table_rows) {
    runs.push_back(column ? static_cast<int64_t>(prepared.table.columns[*column][row]) : 0);
  }
  return runs;
}

// What the newest version has forecast for runs, since actual / forecast has been as it is.
struct Level {
  std::map<int64_t, double> predicted;  // by run
  std::set<int64_t> tested;             // every second of them
  int64_t first_run = 0;
  double change = 1;  // actual / forecast there, by the runs that are not tested on
};

Result<Level> PresentLevel(store::Store& store, const std::string& name, int64_t version) {
  RECKON_ASSIGN(auto forecasts, ForecastsWithOutcomes(store, name, kMostForecasts));
  std::erase_if(forecasts, [&](const core::FinishedForecast& one) {
    return one.record.model_id != version || OutcomesOf({one}).empty();
  });
  Level level;
  if (forecasts.empty()) return level;
  const size_t begin = watch::PresentLevelBegins(OutcomesOf(forecasts));
  level.first_run = *forecasts[begin].record.run_id;
  std::vector<double> ratios;
  for (size_t i = forecasts.size(); i-- > begin;) {
    const core::ForecastRecord& record = forecasts[i].record;
    level.predicted[*record.run_id] = record.forecast.predicted;
    const bool test = (forecasts.size() - i) % 2 == 0 && level.tested.size() < kMostTested;
    if (test) {
      level.tested.insert(*record.run_id);
    } else {
      ratios.push_back(*record.actual / record.forecast.predicted);
    }
  }
  level.change = numeric::Median(ratios);
  return level;
}

enum class RowsUsed { kAll, kAdjusted, kRecent };

const char* NameOf(RowsUsed rows) {
  switch (rows) {
    case RowsUsed::kAll:
      return "all";
    case RowsUsed::kAdjusted:
      return "adjusted";
    case RowsUsed::kRecent:
      break;
  }
  return "recent";
}

class Refitting {
 public:
  Refitting(const Prepared& prepared, const Level& level, const Context& context)
      : prepared_(prepared), level_(level), context_(context), run_of_(RunsOf(prepared)) {}

  // Every way on the runs to be tested on, which none has seen.
  base::Status Compare(RefitReport& report) {
    std::vector<size_t> tested;
    for (size_t row = 0; row < run_of_.size(); ++row) {
      if (level_.tested.contains(run_of_[row])) tested.push_back(row);
    }
    report.tested = tested.size();
    if (tested.size() < kLeastTested) return {};
    double old_error = 0;
    for (const size_t row : tested) {
      const double actual = prepared_.data.y(static_cast<Eigen::Index>(row));
      old_error += std::abs(level_.predicted.at(run_of_[row]) / actual - 1);
    }
    report.old_mape_percent = 100 * old_error / static_cast<double>(tested.size());
    for (const RowsUsed used : {RowsUsed::kAll, RowsUsed::kAdjusted, RowsUsed::kRecent}) {
      const std::vector<size_t> rows = Rows(used, false);
      if (rows.empty() || (used == RowsUsed::kRecent && rows.size() < kLeastRecent)) continue;
      RECKON_ASSIGN(const learn::Model model, Fit(used, rows));
      const double error = ErrorOn(model, tested);
      if (report.new_mape_percent && error >= *report.new_mape_percent) continue;
      report.new_mape_percent = error;
      best_ = used;
    }
    return {};
  }

  // The best way, or all rows when nothing was compared.
  RowsUsed best() const { return best_; }
  Result<learn::Model> FitWhole() const { return Fit(best_, Rows(best_, true)); }

 private:
  bool IsPresent(size_t row) const { return run_of_[row] >= level_.first_run; }

  std::vector<size_t> Rows(RowsUsed used, bool with_tested) const {
    std::vector<size_t> rows;
    for (size_t row = 0; row < run_of_.size(); ++row) {
      if (used == RowsUsed::kRecent && !IsPresent(row)) continue;
      if (with_tested || !level_.tested.contains(run_of_[row])) rows.push_back(row);
    }
    return rows;
  }

  Result<learn::Model> Fit(RowsUsed used, const std::vector<size_t>& rows) const {
    learn::Dataset data = prepared_.data.Subset(rows);
    for (size_t i = 0; used == RowsUsed::kAdjusted && i < rows.size(); ++i) {
      if (!IsPresent(rows[i])) data.y(static_cast<Eigen::Index>(i)) *= level_.change;
    }
    RECKON_ASSIGN(learn::SearchOutcome outcome,
                  learn::Search(data, prepared_.search, context_.stop, context_.progress));
    return learn::MakeModel(data, prepared_.search, std::move(outcome));
  }

  double ErrorOn(const learn::Model& model, const std::vector<size_t>& rows) const {
    const learn::Dataset data = prepared_.data.Subset(rows);
    const learn::Vector predicted = model.PredictBounds(data.x).predicted;
    return 100 * ((predicted - data.y).array() / data.y.array()).abs().mean();
  }

  const Prepared& prepared_;
  const Level& level_;
  const Context& context_;
  const std::vector<int64_t> run_of_;
  RowsUsed best_ = RowsUsed::kAll;
};

std::string Comparison(const RefitReport& report) {
  return fmt::format(
      "on {} of the present level it would be off by {:.1f} % where version {} was by {:.1f} %",
      base::Count(report.tested, "run"), *report.new_mape_percent, report.old_version,
      *report.old_mape_percent);
}

// Whether the new one is to be saved, and why.
Result<bool> Decide(const RefitRequest& request, RefitReport& report) {
  if (!report.new_mape_percent) {
    if (!request.force) {
      return base::BadInput(fmt::format(
          "version {} of model '{}' has forecast too few runs to tell whether another would be "
          "better: {} with an outcome, where {} are needed; --force fits it all the same",
          report.old_version, request.model, report.tested, 2 * kLeastTested));
    }
    report.why = "forced; there are too few runs to compare by";
    return true;
  }
  const bool better = *report.new_mape_percent < *report.old_mape_percent;
  report.why = Comparison(report);
  if (!better && request.force) report.why = "forced: " + report.why;
  return better || request.force;
}

base::Status TellOf(store::Store& store, const RefitReport& report) {
  core::Event event;
  event.kind = report.new_version != 0 ? "model.refitted" : "model.refit_refused";
  event.detail = base::DumpJsonLine(ToJson(report));
  RECKON_TRY(store.AddEvent(event));
  return {};
}

}  // namespace

Result<RefitReport> Refit(const RefitRequest& request, const Context& context) {
  RECKON_ASSIGN(const auto store, OpenStore(context, false));
  RECKON_ASSIGN(const core::ModelRecord record, store->FindModel(request.model));
  RECKON_ASSIGN(const learn::Model old, learn::ModelFromText(record.document, request.model));
  if (old.origin.samples.empty()) {
    return base::BadInput(fmt::format(
        "model '{}' was not fitted to samples of the store, so there is nothing new to learn from; "
        "'reckon fit --samples NAME.runs --save {}' makes one that can be refitted",
        request.model, request.model));
  }
  RefitReport report;
  report.model = request.model;
  report.samples = old.origin.samples;
  report.old_version = record.id;
  RECKON_ASSIGN(const Level level, PresentLevel(*store, request.model, record.id));
  RECKON_ASSIGN(const Prepared prepared, PrepareAgain(old, context));
  report.rows = prepared.data.rows();
  Refitting refitting(prepared, level, context);
  RECKON_TRY(refitting.Compare(report));
  report.rows_used = NameOf(refitting.best());
  RECKON_ASSIGN(const bool save, Decide(request, report));
  if (save) {
    RECKON_ASSIGN(learn::Model model, refitting.FitWhole());
    model.data_fingerprint = FingerprintOf(prepared.table);
    model.origin = old.origin;
    report.rows = model.rows;
    RECKON_ASSIGN(report.new_version,
                  SaveModel(request.model, model, learn::ModelToText(model), context));
  }
  RECKON_TRY(TellOf(*store, report));
  return report;
}

Json ToJson(const RefitReport& report) {
  Json json{{"model", report.model},
            {"samples", report.samples},
            {"from_version", report.old_version},
            {"version", report.new_version != 0 ? Json(report.new_version) : Json()},
            {"rows", report.rows},
            {"tested_runs", report.tested},
            {"rows_used", report.rows_used},
            {"why", report.why}};
  if (report.old_mape_percent) json["old_mape_percent"] = *report.old_mape_percent;
  if (report.new_mape_percent) json["new_mape_percent"] = *report.new_mape_percent;
  return json;
}

}  // namespace reckon::app
