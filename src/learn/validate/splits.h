// Splits of rows into training and test parts, by the question that is asked. In every split the
// two parts are disjoint and neither is empty.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/rng.h"
#include "learn/dataset.h"
#include "learn/question.h"

namespace reckon::learn {

struct Split {
  std::vector<size_t> train;
  std::vector<size_t> test;
};

// round(share * rows) random rows are the test part; 0 < share < 1.
base::Result<Split> HoldOutSplit(size_t rows, double share, base::Rng rng);

// Likewise by whole groups (the rows of one run, which tell of each other), drawn until about
// share * rows are in the test part. `groups`: of every row; at least two different ones.
base::Result<Split> GroupedHoldOutSplit(std::span<const size_t> groups, double share,
                                        base::Rng rng);

// Every row is in exactly one test part; parts differ in size by at most one row. 2 <= folds <=
// rows.
base::Result<std::vector<Split>> KFoldSplits(size_t rows, size_t folds, base::Rng rng);

// Like KFoldSplits, but rows with equal inputs (repeats of one configuration) stay together, so
// that a test row's configuration is never in training. Never more folds than configurations; with
// one configuration its repeats are all there is to compare on, as in KFoldSplits.
std::vector<Split> GroupedKFoldSplits(const Dataset& data, size_t folds, base::Rng rng);

// Rows whose `column` has one of `values` are the test part. The smallest and the largest value of
// the column always stay in training: naming one of them is kBadInput, for that would be
// extrapolation. Without values every second inner value is held out.
base::Result<Split> InterpolationSplit(const Dataset& data, size_t column,
                                       std::vector<double> values);

enum class Beyond { kAbove, kBelow };

// Rows beyond `threshold` are the test part.
base::Result<Split> ExtrapolationSplit(const Dataset& data, size_t column, Beyond beyond,
                                       double threshold);

// The largest quarter of the column's distinct values (at least one), as a threshold for Beyond
// kAbove; nullopt-like kBadInput when the column has fewer than three values.
base::Result<double> DefaultThreshold(const Dataset& data, size_t column);

// The inner splits by which models are chosen.
struct SelectionPlan {
  std::vector<Split> splits;
  bool beyond = false;  // each tests on larger values of the question's column than it trains on
  std::string note;     // when that was asked and could not be
};

// Five grouped folds for a question inside the range; for extrapolation, cuts below the last two or
// three values of the column (above eight values: at 50 and 75 % of its range on a log scale), each
// trained on what lies below; folds when the column has fewer than three values.
SelectionPlan SelectionSplits(const Dataset& data, const Question& question, base::Rng rng);

}  // namespace reckon::learn
