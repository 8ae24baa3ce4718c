#include "app/recommend/search_report.h"

#include <nlohmann/json.hpp>

namespace reckon::app {

base::Json ToJson(const SearchReport& report) {
  base::Json probed = base::Json::array();
  base::Json trials = base::Json::array();
  for (const SearchTrial& trial : report.tried) {
    probed.push_back(trial.row);
    trials.push_back({{"row", trial.row},
                      {"configuration", report.texts[trial.row]},
                      {"time_s", trial.seconds},
                      {"cost", trial.cost},
                      {"ok", trial.ok},
                      {"expected_gain", trial.expected_gain}});
  }
  const decide::Recommended& chosen = report.chosen;
  return {{"chosen",
           {{"row", chosen.row},
            {"configuration", report.texts[chosen.row]},
            {"expected_cost", chosen.expected_cost},
            {"expected_time_s", chosen.expected_s},
            {"success", chosen.success},
            {"probed", chosen.tried},
            {"nothing_succeeded", chosen.hope}}},
          {"probed", std::move(probed)},
          {"trials", std::move(trials)},
          {"spent", report.spent},
          {"ended", report.ended},
          {"source", report.source}};
}

}  // namespace reckon::app
