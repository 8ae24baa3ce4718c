#include "learn/laws/law_correction.h"

#include <cmath>

#include <nlohmann/json.hpp>

#include "learn/regressors/kernel_predictor.h"
#include "learn/trees/ensemble.h"

namespace reckon::learn {
namespace {

bool IsRange(const base::Json& json) {
  return json.is_array() && json.size() == 2 && json[0].is_number() && json[1].is_number() &&
         json[0].get<double>() <= json[1].get<double>();
}

}  // namespace

double LawCorrection::RangeWidth(double low, double high) { return high > low ? high - low : 1; }

Vector LawCorrection::Of(const Matrix& x) const {
  Matrix held = x;
  for (Eigen::Index j = 0; j < x.cols(); ++j) {
    const auto& [low, high] = ranges[static_cast<size_t>(j)];
    held.col(j) = x.col(j).cwiseMax(low).cwiseMin(high);
  }
  Vector beyond = Vector::Zero(x.rows());
  for (Eigen::Index j = 0; j < x.cols(); ++j) {
    const auto& [low, high] = ranges[static_cast<size_t>(j)];
    if (low > 0) {
      beyond.array() += (x.col(j).array().max(kTiniest) / held.col(j).array()).log().abs();
    } else {
      beyond.array() += (x.col(j) - held.col(j)).array().abs() / RangeWidth(low, high);
    }
  }
  const Vector share = (-beyond.array() / kFadeDistance).exp();
  return residual->Predict(held).cwiseProduct(share);
}

CorrectionSize LawCorrection::Size() const {
  CorrectionSize size;
  if (const auto* trees = dynamic_cast<const EnsemblePredictor*>(residual.get())) {
    size.trees = trees->tree_count();
  }
  if (const auto* process = dynamic_cast<const KernelPredictor*>(residual.get())) {
    size.centres = process->centre_count();
  }
  return size;
}

void AddCorrection(const LawCorrection& correction, const Schema& schema, base::Json& json) {
  if (!correction) return;
  json["residual"] = correction.residual->ToJson(schema);
  json["ranges"] = base::Json::array();
  for (const auto& [low, high] : correction.ranges) json["ranges"].push_back({low, high});
}

base::Result<LawCorrection> CorrectionFromJson(const base::Json& json, const Schema& schema) {
  LawCorrection correction;
  if (!json.contains("residual")) return correction;
  const base::Json& left_over = json["residual"];
  const bool smooth = left_over.is_object() && left_over.contains("centres");
  RECKON_ASSIGN(std::unique_ptr<Predictor> residual,
                smooth ? KernelPredictor::Load(left_over, schema)
                       : EnsemblePredictor::Load(left_over, schema));
  correction.residual = std::move(residual);
  if (!json.contains("ranges") || !json["ranges"].is_array() ||
      json["ranges"].size() != schema.inputs.size()) {
    return base::Corrupt("what corrects the law needs a range for every column");
  }
  for (const base::Json& range : json["ranges"]) {
    if (!IsRange(range)) return base::Corrupt("what corrects the law has a bad range");
    correction.ranges.emplace_back(range[0].get<double>(), range[1].get<double>());
  }
  return correction;
}

}  // namespace reckon::learn
