#include "app/recommend/fc2_recommend.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/recommend/catalogue_source.h"
#include "decide/prices/fc2_catalogue.h"

namespace reckon::app {

base::Result<Fc2Report> RecommendByFc2(const Fc2RecommendRequest& request, const Context& context) {
  decide::Fc2Request asked;
  RECKON_ASSIGN(asked.algorithm, decide::ParseFc2Algorithm(request.algorithm));
  core::Catalogue catalogue = decide::Fc2Catalogue();
  if (!request.catalogue.empty()) {
    RECKON_ASSIGN(catalogue, LoadCatalogue(request.catalogue, request.region, context));
  }
  for (const core::MachineType& type : catalogue.types) {
    if (type.for_servers) asked.servers.push_back(type);
    if (type.for_workers) asked.workers.push_back(type);
  }
  asked.server_type = request.server_type;
  asked.worker_type = request.worker_type;
  asked.hourly_budget = request.hourly_budget;
  asked.most_workers = request.most_workers;
  asked.share = request.share;
  Fc2Report report;
  report.algorithm = request.algorithm;
  report.prices = fmt::format("{}, {}", catalogue.source, catalogue.date);
  if (decide::NeedsBandwidth(asked.algorithm)) {
    std::vector<core::MachineType> looked_at = asked.workers;
    if (!asked.worker_type.empty()) {
      std::erase_if(looked_at,
                    [&](const core::MachineType& type) { return type.name != asked.worker_type; });
    }
    RECKON_ASSIGN(BandwidthNeed need, FindBandwidthNeed(request.need, looked_at, context));
    asked.need_bit_s = std::move(need.bit_s);
    report.notes = std::move(need.notes);
  }
  RECKON_ASSIGN(report.choice, decide::RecommendFc2(asked));
  report.notes.insert(report.notes.end(), report.choice.notes.begin(), report.choice.notes.end());
  return report;
}

base::Json ToJson(const Fc2Report& report) {
  const auto limit = [](double value) {
    return std::isinf(value) ? base::Json() : base::Json(value);
  };
  base::Json options = base::Json::array();
  for (const decide::Fc2Option& option : report.choice.options) {
    options.push_back({{"type", option.type.name},
                       {"price_per_hour", option.type.price_per_hour},
                       {"by_bandwidth", limit(option.by_bandwidth)},
                       {"by_budget", limit(option.by_budget)},
                       {"workers", option.workers}});
  }
  return {{"algorithm", report.algorithm},
          {"prices", report.prices},
          {"server", report.choice.server.name},
          {"worker", report.choice.worker.name},
          {"workers", report.choice.workers},
          {"price_per_hour", report.choice.price_per_hour},
          {"why", report.choice.why},
          {"options", std::move(options)},
          {"notes", report.notes}};
}

}  // namespace reckon::app
