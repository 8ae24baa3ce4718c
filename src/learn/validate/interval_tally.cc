#include "learn/validate/interval_tally.h"

#include <algorithm>
#include <cmath>

namespace reckon::learn {

void IntervalTally::Add(double truth, double lower, double upper) {
  ++rows_;
  if (lower <= truth && truth <= upper) ++covered_;
  if (truth == 0) return;
  const double miss = std::max(lower - truth, 0.0) + std::max(truth - upper, 0.0);
  scores_ += (upper - lower + 2 / (1 - level_) * miss) / std::fabs(truth);
  ++scored_;
}

void IntervalTally::Add(const IntervalTally& other) {
  rows_ += other.rows_;
  covered_ += other.covered_;
  scored_ += other.scored_;
  scores_ += other.scores_;
}

double IntervalTally::CoveragePercent() const {
  return rows_ == 0 ? 0 : 100.0 * static_cast<double>(covered_) / static_cast<double>(rows_);
}

std::optional<double> IntervalTally::MeanScorePercent() const {
  if (scored_ == 0) return std::nullopt;
  return 100.0 * scores_ / static_cast<double>(scored_);
}

}  // namespace reckon::learn
