#include "app/replay_json.h"

#include <nlohmann/json.hpp>

namespace reckon::app {
namespace {

using base::Json;

Json NumberJson(const std::optional<double>& number) { return number ? Json(*number) : Json(); }

Json StepJson(const ReplayReport& report, const ReplayStep& step) {
  Json json;
  json["points"] = step.points;
  json["measurements"] = step.measurements;
  json["time_s"] = step.time_s;
  json["time_share"] = report.TimeShare(step);
  if (report.priced) json["cost"] = step.cost;
  json["error_percent"] = step.error_percent;
  json["unmeasured_percent"] = NumberJson(step.unmeasured_percent);
  json["left_out_percent"] = step.left_out_percent;
  json["expected_percent"] = NumberJson(step.expected_percent);
  json["model"] = step.model;
  return json;
}

Json ReachedJson(const ReplayReport& report, const std::optional<size_t>& step) {
  return step ? StepJson(report, report.steps[*step]) : Json();
}

}  // namespace

Json ToJson(const ReplayReport& report) {
  Json json;
  json["source"] = report.source;
  json["target"] = report.target;
  json["design"] = report.design;
  json["criterion"] = report.criterion.empty() ? Json() : Json(report.criterion);
  Json& grid = json["full_grid"];
  grid["points"] = report.points;
  grid["rows"] = report.rows;
  grid["time_s"] = report.grid_time_s;
  if (report.priced) grid["cost"] = report.grid_cost;
  grid["error_percent"] = report.grid_error_percent;
  Json& measured = json["measured"];
  measured["points"] = report.measured_points;
  measured["measurements"] = report.measurements;
  measured["time_s"] = report.time_s;
  measured["time_share"] = report.time_s / report.grid_time_s;
  if (report.priced) measured["cost"] = report.cost;
  measured["ended"] = report.ended;
  json["reached"] = ReachedJson(report, report.reached);
  json["nearly_reached"] = ReachedJson(report, report.nearly_reached);
  json["steps"] = Json::array();
  for (const ReplayStep& step : report.steps) json["steps"].push_back(StepJson(report, step));
  json["out"] = report.out.empty() ? Json() : Json(report.out);
  json["plot"] = report.plot.empty() ? Json() : Json(report.plot);
  json["notes"] = report.notes;
  return json;
}

}  // namespace reckon::app
