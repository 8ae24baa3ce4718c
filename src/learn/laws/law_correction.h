// What corrects a law: trees or a Gaussian process for what it leaves over.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "learn/regressors/formula.h"
#include "learn/regressors/technique.h"

namespace reckon::learn {

// Added to a law's logarithm, for inputs held within what was measured; outside it fades: a factor
// of e less for every kFadeDistance, counted as the sum over columns of |log(x / end)| where the
// range is positive, else of the distance in widths of the range.
struct LawCorrection {
  std::shared_ptr<const Predictor> residual;      // null: none; shared by copies of a law
  std::vector<std::pair<double, double>> ranges;  // of every column; categories: any

  static constexpr double kFadeDistance = 5;
  static constexpr double kTiniest = 1e-300;  // stands for what has no logarithm
  static double RangeWidth(double low, double high);

  explicit operator bool() const { return residual != nullptr; }
  // `residual` set.
  Vector Of(const Matrix& x) const;
  CorrectionSize Size() const;
};

// Writes "residual" and "ranges" into a predictor's object; nothing without a correction.
void AddCorrection(const LawCorrection& correction, const Schema& schema, base::Json& json);
// kCorrupt when they are not what AddCorrection writes.
base::Result<LawCorrection> CorrectionFromJson(const base::Json& json, const Schema& schema);

}  // namespace reckon::learn
