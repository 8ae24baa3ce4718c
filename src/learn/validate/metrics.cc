#include "learn/validate/metrics.h"

#include <cmath>

#include <nlohmann/json.hpp>

#include "base/check.h"

namespace reckon::learn {

Metrics Measure(const numeric::Vector& truth, const numeric::Vector& predicted) {
  RECKON_CHECK(truth.size() == predicted.size() && truth.size() > 0);
  Metrics metrics;
  metrics.rows = static_cast<size_t>(truth.size());
  double relative = 0;
  Eigen::Index relative_rows = 0;
  for (Eigen::Index i = 0; i < truth.size(); ++i) {
    if (truth(i) == 0) continue;
    relative += std::fabs((predicted(i) - truth(i)) / truth(i));
    ++relative_rows;
  }
  if (relative_rows > 0) {
    metrics.mape_percent = 100 * relative / static_cast<double>(relative_rows);
  }
  const double squares = (predicted - truth).squaredNorm();
  metrics.rmse = std::sqrt(squares / static_cast<double>(truth.size()));
  const double spread = (truth.array() - truth.mean()).matrix().squaredNorm();
  if (spread > 0) metrics.r2 = 1 - squares / spread;
  return metrics;
}

base::Json MetricsToJson(const Metrics& metrics) {
  base::Json json;
  json["mape_percent"] = metrics.mape_percent ? base::Json(*metrics.mape_percent) : base::Json();
  json["rmse"] = metrics.rmse;
  json["r2"] = metrics.r2 ? base::Json(*metrics.r2) : base::Json();
  json["rows"] = metrics.rows;
  return json;
}

}  // namespace reckon::learn
