// How honest intervals are (how many truths they hold) and how useful (how narrow they are).
#pragma once

#include <cstddef>
#include <optional>

namespace reckon::learn {

// Counts intervals against the truths they were made for. The interval score (Gneiting and Raftery,
// JASA 2007) is the width plus 2/alpha times the miss, alpha = 1 - level: the smaller the better,
// and smallest on average for the true quantiles.
class IntervalTally {
 public:
  explicit IntervalTally(double level = 0.9) : level_(level) {}

  void Add(double truth, double lower, double upper);
  // The rows of another tally of the same level.
  void Add(const IntervalTally& other);

  size_t rows() const { return rows_; }
  // Truths inside their interval; 0 without rows.
  double CoveragePercent() const;
  // Mean score in per cent of the truth, over the rows whose truth is not 0; nullopt without any.
  std::optional<double> MeanScorePercent() const;

 private:
  double level_;
  size_t rows_ = 0;
  size_t covered_ = 0;
  size_t scored_ = 0;
  double scores_ = 0;
};

}  // namespace reckon::learn
