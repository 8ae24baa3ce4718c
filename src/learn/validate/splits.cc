#include "learn/validate/splits.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "base/text.h"
#include "numeric/stats.h"

namespace reckon::learn {
namespace {

using base::BadInput;

constexpr size_t kFolds = 5;

std::vector<double> Levels(const Dataset& data, size_t column) {
  const auto cells = data.x.col(static_cast<Eigen::Index>(column));
  return numeric::Distinct({cells.data(), static_cast<size_t>(cells.size())});
}

template <typename IsTest>
Split SplitBy(const Dataset& data, size_t column, IsTest is_test) {
  Split split;
  for (size_t row = 0; row < data.rows(); ++row) {
    const double cell = data.x(static_cast<Eigen::Index>(row), static_cast<Eigen::Index>(column));
    (is_test(cell) ? split.test : split.train).push_back(row);
  }
  return split;
}

base::Status CheckNumber(const Dataset& data, size_t column) {
  if (data.schema.inputs[column].kind == core::ColumnKind::kNumber) return {};
  return BadInput(fmt::format("column '{}' is not numeric; it has no order to hold values out of",
                              data.schema.inputs[column].name));
}

base::Status CheckShare(double share) {
  if (share > 0 && share < 1) return {};
  return BadInput(fmt::format("hold-out share {} is not between 0 and 1", share));
}

// Thresholds for choosing an extrapolating model: train below or at, test above.
std::vector<double> InnerCuts(const std::vector<double>& levels) {
  const size_t count = levels.size();
  if (count <= 8) {
    std::vector<double> cuts;
    // At least two training values a cut; three cuts when there are enough values.
    const size_t wanted = count >= 6 ? 3 : 2;
    for (size_t k = wanted; k >= 1; --k) {
      if (count >= k + 2) cuts.push_back(levels[count - 1 - k]);
    }
    if (cuts.empty()) cuts.push_back(levels[count - 2]);
    return cuts;
  }
  const bool positive = levels.front() > 0;
  const double low = positive ? std::log(levels.front()) : levels.front();
  const double high = positive ? std::log(levels.back()) : levels.back();
  std::vector<double> cuts;
  for (const double share : {0.5, 0.75}) {
    const double at = low + share * (high - low);
    double cut = positive ? std::exp(at) : at;
    // Both sides keep at least two values and one value.
    cut = std::clamp(cut, levels[1], levels[count - 2]);
    cuts.push_back(cut);
  }
  return cuts;
}

}  // namespace

base::Result<Split> GroupedHoldOutSplit(std::span<const size_t> groups, double share,
                                        base::Rng rng) {
  RECKON_TRY(CheckShare(share));
  std::map<size_t, std::vector<size_t>> rows_of;
  for (size_t row = 0; row < groups.size(); ++row) rows_of[groups[row]].push_back(row);
  if (rows_of.size() < 2) return BadInput("a hold-out needs rows of at least two runs");
  std::vector<const std::vector<size_t>*> in_order;
  for (const auto& [group, rows] : rows_of) in_order.push_back(&rows);
  rng.Shuffle(std::span(in_order));
  const double wanted = share * static_cast<double>(groups.size());
  Split split;
  for (size_t i = 0; i < in_order.size(); ++i) {
    const std::vector<size_t>& rows = *in_order[i];
    const bool last = i + 1 == in_order.size();
    const double with =
        static_cast<double>(split.test.size()) + static_cast<double>(rows.size()) / 2;
    const bool test = !last && (split.test.empty() || with <= wanted);
    auto& part = test ? split.test : split.train;
    part.insert(part.end(), rows.begin(), rows.end());
  }
  std::sort(split.test.begin(), split.test.end());
  std::sort(split.train.begin(), split.train.end());
  return split;
}

base::Result<Split> HoldOutSplit(size_t rows, double share, base::Rng rng) {
  RECKON_TRY(CheckShare(share));
  if (rows < 2) return BadInput("a hold-out needs at least two rows");
  const auto wanted = static_cast<size_t>(std::llround(share * static_cast<double>(rows)));
  const size_t test_rows = std::clamp<size_t>(wanted, 1, rows - 1);
  const std::vector<size_t> order = rng.Permutation(rows);
  Split split;
  split.test.assign(order.begin(), order.begin() + static_cast<ptrdiff_t>(test_rows));
  split.train.assign(order.begin() + static_cast<ptrdiff_t>(test_rows), order.end());
  std::sort(split.test.begin(), split.test.end());
  std::sort(split.train.begin(), split.train.end());
  return split;
}

base::Result<std::vector<Split>> KFoldSplits(size_t rows, size_t folds, base::Rng rng) {
  if (folds < 2 || folds > rows) {
    return BadInput(
        fmt::format("{} folds of {} rows; expected from 2 to the number of rows", folds, rows));
  }
  const std::vector<size_t> order = rng.Permutation(rows);
  std::vector<size_t> fold_of(rows);
  for (size_t i = 0; i < rows; ++i) fold_of[order[i]] = i % folds;
  std::vector<Split> splits(folds);
  for (size_t row = 0; row < rows; ++row) {
    for (size_t fold = 0; fold < folds; ++fold) {
      (fold_of[row] == fold ? splits[fold].test : splits[fold].train).push_back(row);
    }
  }
  return splits;
}

std::vector<Split> GroupedKFoldSplits(const Dataset& data, size_t folds, base::Rng rng) {
  // Groups are numbered by the first row of each configuration, so the outcome does not depend on
  // the order of a map.
  std::map<std::vector<double>, size_t> group_of_inputs;
  std::vector<size_t> group_of_row(data.rows());
  for (size_t row = 0; row < data.rows(); ++row) {
    const auto inputs = data.x.row(static_cast<Eigen::Index>(row));
    const auto [entry, is_new] = group_of_inputs.try_emplace(
        std::vector<double>(inputs.begin(), inputs.end()), group_of_inputs.size());
    group_of_row[row] = entry->second;
  }
  const size_t groups = group_of_inputs.size();
  if (groups < 2) return KFoldSplits(data.rows(), folds, rng).value();
  folds = std::min(folds, groups);
  const std::vector<size_t> order = rng.Permutation(groups);
  std::vector<size_t> fold_of_group(groups);
  for (size_t i = 0; i < groups; ++i) fold_of_group[order[i]] = i % folds;
  std::vector<Split> splits(folds);
  for (size_t row = 0; row < data.rows(); ++row) {
    const size_t own = fold_of_group[group_of_row[row]];
    for (size_t fold = 0; fold < folds; ++fold) {
      (own == fold ? splits[fold].test : splits[fold].train).push_back(row);
    }
  }
  return splits;
}

base::Result<Split> InterpolationSplit(const Dataset& data, size_t column,
                                       std::vector<double> values) {
  RECKON_TRY(CheckNumber(data, column));
  const std::string& name = data.schema.inputs[column].name;
  const std::vector<double> levels = Levels(data, column);
  if (levels.size() < 3) {
    return BadInput(fmt::format("column '{}' has {} values; interpolation needs at least 3", name,
                                levels.size()));
  }
  if (values.empty()) {
    for (size_t i = 1; i + 1 < levels.size(); i += 2) values.push_back(levels[i]);
  }
  for (const double value : values) {
    if (!std::binary_search(levels.begin(), levels.end(), value)) {
      return BadInput(fmt::format("no row has {} = {}", name, base::RoundTrip(value)));
    }
    if (value == levels.front() || value == levels.back()) {
      return BadInput(
          fmt::format("{} = {} is an end point of the measured range {}..{}; holding it out would "
                      "be extrapolation",
                      name, base::RoundTrip(value), base::RoundTrip(levels.front()),
                      base::RoundTrip(levels.back())));
    }
  }
  return SplitBy(data, column, [&](double cell) {
    return std::find(values.begin(), values.end(), cell) != values.end();
  });
}

base::Result<Split> ExtrapolationSplit(const Dataset& data, size_t column, Beyond beyond,
                                       double threshold) {
  RECKON_TRY(CheckNumber(data, column));
  const bool above = beyond == Beyond::kAbove;
  Split split = SplitBy(data, column,
                        [&](double cell) { return above ? cell > threshold : cell < threshold; });
  if (split.train.empty() || split.test.empty()) {
    const InputColumn& input = data.schema.inputs[column];
    return BadInput(fmt::format("'{}{}{}' leaves no rows for {}; the column goes from {} to {}",
                                input.name, above ? ">" : "<", base::RoundTrip(threshold),
                                split.train.empty() ? "training" : "validation",
                                base::RoundTrip(input.min), base::RoundTrip(input.max)));
  }
  return split;
}

base::Result<double> DefaultThreshold(const Dataset& data, size_t column) {
  RECKON_TRY(CheckNumber(data, column));
  const std::vector<double> levels = Levels(data, column);
  if (levels.size() < 3) {
    return BadInput(fmt::format("column '{}' has {} values; extrapolation needs at least 3",
                                data.schema.inputs[column].name, levels.size()));
  }
  const size_t held_out = std::max<size_t>(1, levels.size() / 4);
  return levels[levels.size() - 1 - held_out];
}

SelectionPlan SelectionSplits(const Dataset& data, const Question& question, base::Rng rng) {
  SelectionPlan plan;
  if (question.extrapolate) {
    const std::vector<double> levels = Levels(data, *question.extrapolate);
    if (levels.size() >= 3) {
      for (const double cut : InnerCuts(levels)) {
        plan.splits.push_back(
            SplitBy(data, *question.extrapolate, [&](double cell) { return cell > cut; }));
      }
      plan.beyond = true;
      return plan;
    }
    plan.note = fmt::format(
        "column '{}' has {} values: too few to practise extrapolation on; models chosen by folds",
        data.schema.inputs[*question.extrapolate].name, levels.size());
  }
  plan.splits = GroupedKFoldSplits(data, std::min(kFolds, data.rows()), rng);
  return plan;
}

}  // namespace reckon::learn
