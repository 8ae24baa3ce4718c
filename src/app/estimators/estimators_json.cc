#include <nlohmann/json.hpp>

#include "app/estimators/estimators.h"
#include "base/json.h"

namespace reckon::app {
namespace {

base::Json OrNull(const std::optional<double>& value) {
  return value ? base::Json(*value) : base::Json();
}

}  // namespace

base::Json ToJson(const EstimatorsReport& report) {
  base::Json json{{"campaign", report.campaign},
                  {"rows", report.rows},
                  {"mean_mape_percent", report.mean_mape_percent},
                  {"mean_noise_percent", OrNull(report.mean_noise_percent)},
                  {"estimators", base::Json::array()},
                  {"sensitivity", base::Json::array()},
                  {"max_batches", base::Json::array()},
                  {"notes", report.notes}};
  for (const EstimatorRow& row : report.estimators) {
    json["estimators"].push_back({{"node_type", row.node_type},
                                  {"function", row.function},
                                  {"inputs", row.inputs},
                                  {"train_rows", row.train_rows},
                                  {"test_rows", row.test_rows},
                                  {"mape_percent", row.mape_percent},
                                  {"deviation_percent", row.deviation_percent},
                                  {"noise_percent", OrNull(row.noise_percent)},
                                  {"technique", row.technique},
                                  {"model", row.model}});
  }
  for (const SensitivityRow& row : report.sensitivity) {
    json["sensitivity"].push_back({{"node_type", row.node_type},
                                   {"function", row.function},
                                   {"input", row.input},
                                   {"correlation", row.correlation},
                                   {"low", row.low},
                                   {"high", row.high}});
  }
  for (const MaxBatchRow& row : report.max_batches) {
    json["max_batches"].push_back({{"node_type", row.node_type},
                                   {"memory_before", row.memory_before},
                                   {"batch", row.batch ? base::Json(*row.batch) : base::Json()},
                                   {"at_end", row.at_end}});
  }
  return json;
}

}  // namespace reckon::app
