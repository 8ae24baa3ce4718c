#include "app/report_json.h"

#include <cmath>

#include <nlohmann/json.hpp>

#include "learn/validate/metrics.h"

namespace reckon::app {
namespace {

using base::Json;

Json TextOrNull(const std::string& text) { return text.empty() ? Json() : Json(text); }

Json OptionalNumber(const std::optional<double>& number) { return number ? Json(*number) : Json(); }

Json RowJson(const TechniqueRow& row) {
  Json json;
  json["technique"] = row.technique;
  json["candidate"] = row.description;
  json["chosen"] = row.chosen;
  json["training"] = learn::MetricsToJson(row.training);
  json["selection"] = learn::MetricsToJson(row.selection);
  if (row.validation) json["validation"] = learn::MetricsToJson(*row.validation);
  return json;
}

Json RowsJson(const std::vector<TechniqueRow>& rows) {
  Json list = Json::array();
  for (const TechniqueRow& row : rows) list.push_back(RowJson(row));
  return list;
}

Json MaybeMetrics(const std::optional<core::Metrics>& metrics) {
  return metrics ? learn::MetricsToJson(*metrics) : Json();
}

Json StandingsJson(const learn::Standings& standings, const std::string& column) {
  Json json;
  json["column"] = TextOrNull(column);
  json["techniques"] = Json::array();
  for (const learn::Standing& row : standings.rows) {
    Json entry;
    entry["technique"] = row.technique;
    entry["candidate"] = row.description;
    entry["folds"] = MaybeMetrics(row.folds);
    entry["interpolation"] = MaybeMetrics(row.interpolation);
    entry["extrapolation"] = MaybeMetrics(row.extrapolation);
    entry["fit_s"] = row.fit_s;
    entry["predict_us"] = row.predict_us;
    json["techniques"].push_back(std::move(entry));
  }
  return json;
}

Json ForecastJson(const core::Forecast& forecast) {
  Json json;
  json["predicted"] = forecast.predicted;
  json["lower"] = forecast.lower;
  json["upper"] = forecast.upper;
  json["in_support"] = forecast.in_support;
  if (!forecast.outside.empty()) json["outside"] = forecast.outside;
  return json;
}

Json ContributionsJson(const std::vector<core::Contribution>& contributions) {
  Json list = Json::array();
  for (const core::Contribution& part : contributions) {
    Json entry;
    entry["term"] = part.term;
    entry["amount"] = part.amount;
    if (!part.parts.empty()) {
      entry["parts_scale"] = part.parts_scale;
      entry["parts"] = ContributionsJson(part.parts);
    }
    list.push_back(std::move(entry));
  }
  return list;
}

Json IntervalsJson(const std::vector<ExplainedInterval>& intervals) {
  Json list = Json::array();
  for (const ExplainedInterval& interval : intervals) {
    Json entry;
    entry["name"] = interval.name;
    entry["value"] = interval.value;
    entry["lower"] = interval.lower;
    entry["upper"] = interval.upper;
    entry["settled"] = interval.settled;
    list.push_back(std::move(entry));
  }
  return list;
}

Json GapsJson(const std::vector<ExplainedGap>& gaps) {
  Json list = Json::array();
  for (const ExplainedGap& gap : gaps) {
    Json entry;
    entry["kind"] = gap.kind;
    entry["columns"] = gap.columns;
    entry["what"] = gap.what;
    entry["next"] = gap.next;
    list.push_back(std::move(entry));
  }
  return list;
}

Json SampleSetJson(const core::SampleSet& set) {
  Json json;
  json["name"] = set.name;
  json["rows"] = set.row_count;
  json["source"] = set.source;
  json["fingerprint"] = set.fingerprint;
  json["imported_at"] = base::FormatTime(set.imported_at);
  return json;
}

const char* HealthName(Health health) {
  switch (health) {
    case Health::kGood:
      return "good";
    case Health::kLimited:
      return "limited";
    case Health::kBroken:
      return "broken";
  }
  return "unknown";
}

Json AutomlRowsJson(const std::vector<AutomlRow>& rows) {
  Json list = Json::array();
  for (const AutomlRow& row : rows) {
    Json json;
    json["technique"] = row.label;
    json["reckon_technique"] = row.technique;
    json["hyperparameters"] = row.hyperparameters;
    json["best"] = row.best;
    json["training"] = learn::MetricsToJson(row.training);
    json["hp_selection"] = learn::MetricsToJson(row.selection);
    if (row.validation) json["validation"] = learn::MetricsToJson(*row.validation);
    list.push_back(std::move(json));
  }
  return list;
}

}  // namespace

Json ToJson(const FitReport& report) {
  Json json;
  json["target"] = report.target;
  json["rows"] = report.rows;
  json["inputs"] = report.inputs;
  json["extrapolate"] = TextOrNull(report.extrapolate);
  json["candidates_tried"] = report.tried;
  json["leaderboard"] = RowsJson(report.leaderboard);
  if (report.standings) {
    json["standings"] = StandingsJson(*report.standings, report.standings_column);
  }
  json["notes"] = report.notes;
  json["out"] = TextOrNull(report.out);
  json["saved"] = TextOrNull(report.saved);
  return json;
}

Json ToJson(const ValidateReport& report) {
  Json json;
  json["target"] = report.target;
  json["rows"] = report.rows;
  json["validations"] = Json::array();
  for (const ValidationBlock& block : report.blocks) {
    Json entry;
    entry["method"] = block.method;
    entry["splits"] = block.splits;
    entry["training_rows"] = block.training_rows;
    entry["validation_rows"] = block.validation_rows;
    entry["techniques"] = RowsJson(block.techniques);
    entry["chosen"] = RowJson(block.chosen);
    entry["coverage_percent"] = block.coverage_percent;
    entry["interval_score_percent"] = OptionalNumber(block.interval_score_percent);
    json["validations"].push_back(std::move(entry));
  }
  json["notes"] = report.notes;
  return json;
}

Json ToJson(const PredictReport& report) {
  Json json;
  json["model"] = report.model;
  json["technique"] = report.technique;
  json["target"] = report.target;
  json["interval_level"] = report.level;
  json["rows"] = report.forecasts.size();
  json["in_support"] = report.in_support;
  if (report.error) {
    json["error"] = learn::MetricsToJson(*report.error);
    json["coverage_percent"] = report.coverage_percent;
    json["interval_score_percent"] = OptionalNumber(report.interval_score_percent);
  }
  json["out"] = TextOrNull(report.out);
  json["plot"] = TextOrNull(report.plot);
  json["notes"] = report.notes;
  // With --out the rows are in the file; here they would only be there twice.
  if (report.out.empty()) {
    json["forecasts"] = Json::array();
    for (size_t row = 0; row < report.forecasts.size(); ++row) {
      Json entry;
      entry["question"] = Json::object();
      for (const core::Column& column : report.questions.columns) {
        Json& cell = entry["question"][column.name()];
        if (std::isnan(column[row])) continue;
        cell =
            column.kind() == core::ColumnKind::kNumber ? Json(column[row]) : Json(column.Text(row));
      }
      entry.update(ForecastJson(report.forecasts[row]));
      json["forecasts"].push_back(std::move(entry));
    }
  }
  return json;
}

Json ToJson(const ExplainReport& report) {
  Json json;
  json["model"] = report.model;
  json["technique"] = report.technique;
  json["candidate"] = report.description;
  json["target"] = report.target;
  json["scale"] = report.scale;
  json["extrapolate"] = TextOrNull(report.extrapolate);
  json["rows"] = report.rows;
  json["data_fingerprint"] = report.data_fingerprint;
  json["format"] = report.format;
  json["formula"] = report.formula;
  if (!report.scaling.empty()) json["scaling"] = report.scaling;
  if (report.fits > 0) {
    json["fits"] = report.fits;
    json["parameters"] = Json::array();
    for (const ExplainedParameter& parameter : report.parameters) {
      Json entry;
      entry["name"] = parameter.name;
      entry["value"] = parameter.value;
      entry["mean"] = parameter.mean;
      entry["deviation"] = parameter.deviation;
      json["parameters"].push_back(std::move(entry));
    }
  }
  if (report.resamples > 0) {
    json["resamples"] = report.resamples;
    json["parameters_of"] = report.parameters_of;
    json["parameter_intervals"] = IntervalsJson(report.intervals);
  }
  json["unidentified"] = GapsJson(report.gaps);
  json["columns"] = Json::array();
  for (const ExplainedColumn& column : report.columns) {
    Json entry;
    entry["name"] = column.name;
    entry["kind"] = column.kind;
    entry["measured"] = column.measured;
    json["columns"].push_back(std::move(entry));
  }
  json["leaderboard"] = RowsJson(report.leaderboard);
  if (report.forecast) {
    json["forecast"] = ForecastJson(*report.forecast);
    json["contribution_scale"] = report.contribution_scale;
    json["contributions"] = ContributionsJson(report.contributions);
  }
  json["notes"] = report.notes;
  return json;
}

Json ToJson(const ImportReport& report) {
  Json json = SampleSetJson(report.set);
  json["already_there"] = report.already_there;
  json["columns"] = Json::array();
  for (const ImportedColumn& column : report.columns) {
    Json entry;
    entry["name"] = column.name;
    entry["kind"] = column.kind;
    entry["missing"] = column.missing;
    json["columns"].push_back(std::move(entry));
  }
  return json;
}

Json ToJson(const ListReport& report) {
  Json json;
  json["samples"] = Json::array();
  for (const core::SampleSet& set : report.sample_sets) {
    json["samples"].push_back(SampleSetJson(set));
  }
  json["models"] = Json::array();
  for (const core::ModelRecord& model : report.models) {
    Json entry;
    entry["id"] = model.id;
    entry["name"] = model.name;
    entry["technique"] = model.technique;
    entry["target"] = model.target;
    entry["data_fingerprint"] = model.data_fingerprint;
    entry["created_at"] = base::FormatTime(model.created_at);
    json["models"].push_back(std::move(entry));
  }
  json["runs"] = Json::array();
  for (const core::Run& run : report.runs) {
    Json entry;
    entry["id"] = run.id;
    entry["name"] = run.name;
    entry["state"] = core::RunStateName(run.state);
    entry["created_at"] = base::FormatTime(run.created_at);
    json["runs"].push_back(std::move(entry));
  }
  return json;
}

Json ToJson(const ExportReport& report) {
  Json json;
  json["out"] = TextOrNull(report.out);
  if (report.out.empty()) json["text"] = report.text;
  return json;
}

Json ToJson(const DoctorReport& report) {
  Json json;
  json["healthy"] = report.healthy;
  json["findings"] = Json::array();
  for (const Finding& finding : report.findings) {
    Json entry;
    entry["subject"] = finding.subject;
    entry["health"] = HealthName(finding.health);
    entry["state"] = finding.state;
    entry["advice"] = TextOrNull(finding.advice);
    json["findings"].push_back(std::move(entry));
  }
  return json;
}

Json ToJson(const AutomlReport& report) {
  Json json;
  json["configuration"] = report.configuration;
  json["data"] = report.data;
  json["target"] = report.target;
  json["rows"] = report.rows;
  json["inputs"] = report.inputs;
  json["candidates"] = report.candidates;
  json["runs"] = Json::array();
  for (const AutomlRun& run : report.runs) {
    Json entry;
    entry["method"] = run.method;
    entry["splits"] = run.splits;
    entry["training_rows"] = run.training_rows;
    entry["validation_rows"] = run.validation_rows;
    entry["techniques"] = AutomlRowsJson(run.techniques);
    json["runs"].push_back(std::move(entry));
  }
  json["models"] = AutomlRowsJson(report.models);
  json["best"] = report.models.empty() ? Json() : Json(report.models.front().label);
  json["out"] = TextOrNull(report.out);
  json["files"] = report.files;
  json["warnings"] = report.warnings;
  json["notes"] = report.notes;
  return json;
}

}  // namespace reckon::app
