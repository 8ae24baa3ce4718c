#include <nlohmann/json.hpp>

#include "app/campaigns/profile.h"
#include "base/json.h"

namespace reckon::app {

base::Json ToJson(const CampaignReport& report) {
  base::Json json{
      {"campaign", report.campaign.name},  {"target", report.target},      {"runs", report.runs},
      {"seconds", report.seconds},         {"cost", report.cost},          {"ended", report.ended},
      {"interrupted", report.interrupted}, {"points", base::Json::array()}};
  for (const PointReport& point : report.points) {
    base::Json one{{"key", point.point.key}, {"state", point.state}};
    if (!point.point.block.empty()) one["block"] = point.point.block;
    base::Json values = base::Json::object();
    for (const auto& [key, value] : point.point.values) values[key] = value;
    one["values"] = values;
    one["engine"] = point.point.engine;
    if (!point.problem.empty()) one["problem"] = point.problem;
    one["mean"] = point.mean ? base::Json(*point.mean) : base::Json();
    one["error_of_mean"] = point.error_of_mean ? base::Json(*point.error_of_mean) : base::Json();
    one["outliers"] = point.outliers;
    base::Json attempts = base::Json::array();
    for (const Attempt& attempt : point.attempts) {
      base::Json tried{{"run", attempt.run},
                       {"outcome", OutcomeName(attempt.outcome)},
                       {"seconds", attempt.seconds}};
      if (attempt.value > 0) tried["value"] = attempt.value;
      if (!attempt.reason.empty()) tried["reason"] = attempt.reason;
      attempts.push_back(std::move(tried));
    }
    one["runs"] = attempts;
    json["points"].push_back(std::move(one));
  }
  return json;
}

}  // namespace reckon::app
