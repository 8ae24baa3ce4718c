#include "decide/recommend/search.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "base/rng.h"

namespace reckon::decide {
namespace {

using Index = Eigen::Index;

constexpr size_t kFirstTrials = 3;
constexpr size_t kHandful = 8;
constexpr double kThrift = 0.3;  // gain over cost to this power
constexpr double kSecondsAnHour = 3600;

std::vector<bool> TriedRows(const std::vector<Trial>& tried, size_t rows) {
  std::vector<bool> is_tried(rows, false);
  for (const Trial& trial : tried) is_tried[trial.row] = true;
  return is_tried;
}

}  // namespace

ConfigurationSearch::ConfigurationSearch(const core::Table& configurations,
                                         std::vector<double> price_per_hour, SearchOptions options)
    : believer_(configurations), price_(std::move(price_per_hour)), options_(options) {}

// Of those that should be cheap a random handful, and of these the one farthest from what was
// tried: seeds differ, and no corner is always taken.
size_t ConfigurationSearch::FirstTrial(const std::vector<Trial>& tried,
                                       const std::vector<bool>& is_tried) const {
  const Matrix& near = believer_.inputs().nearness;
  const Vector usual = believer_.Usual();
  std::vector<size_t> rows;
  for (size_t row = 0; row < price_.size(); ++row) {
    if (!is_tried[row]) rows.push_back(row);
  }
  const auto log_cost = [&](size_t row) {
    return usual(static_cast<Index>(row)) + std::log(price_[row]);
  };
  std::stable_sort(rows.begin(), rows.end(),
                   [&](size_t a, size_t b) { return log_cost(a) < log_cost(b); });
  rows.resize(std::min(rows.size(), std::max(kHandful, price_.size() / 2)));
  base::Rng rng = base::Rng(options_.seed).Fork(tried.size());
  rng.Shuffle(std::span(rows));
  rows.resize(std::min(rows.size(), kHandful));
  if (tried.empty()) return rows.front();
  const auto distance = [&](size_t row) {
    const auto at = near.row(static_cast<Index>(row));
    double nearest = INFINITY;
    for (const Trial& trial : tried) {
      nearest = std::min(nearest, (at - near.row(static_cast<Index>(trial.row))).squaredNorm());
    }
    return nearest;
  };
  return *std::max_element(rows.begin(), rows.end(),
                           [&](size_t a, size_t b) { return distance(a) < distance(b); });
}

base::Result<std::optional<NextTrial>> ConfigurationSearch::Next(
    const std::vector<Trial>& tried, std::optional<double> budget,
    const std::vector<size_t>& excluded) const {
  std::vector<bool> is_tried = TriedRows(tried, price_.size());
  for (const size_t row : excluded) is_tried[row] = true;
  if (std::find(is_tried.begin(), is_tried.end(), false) == is_tried.end()) {
    return std::optional<NextTrial>();
  }
  if (tried.size() < kFirstTrials) {
    return std::optional(NextTrial{FirstTrial(tried, is_tried), 0, 0});
  }
  RECKON_ASSIGN(const Belief belief, believer_.Believe(tried));
  double best = INFINITY;
  for (const Trial& trial : tried) {
    if (trial.ok) best = std::min(best, CostOf(trial));
  }
  std::optional<NextTrial> next;
  double most = -INFINITY;
  for (size_t row = 0; row < price_.size(); ++row) {
    if (is_tried[row]) continue;
    const double expected = Cost(row, belief.ExpectedSeconds(row));
    if (budget && expected > *budget) continue;
    const double success = belief.ok(static_cast<Index>(row));
    // Before anything has succeeded success is what is looked for.
    const double gain =
        std::isinf(best)
            ? 0
            : success * Cost(row, belief.ExpectedBelow(row, best * kSecondsAnHour / price_[row]));
    const double worth = (std::isinf(best) ? success : gain) / std::pow(expected, kThrift);
    if (worth > most) {
      most = worth;
      next = NextTrial{row, expected, gain};
    }
  }
  if (next && !std::isinf(best) && next->expected_gain * options_.runs < next->expected_cost) {
    return std::optional<NextTrial>();
  }
  return next;
}

base::Result<Recommended> ConfigurationSearch::Recommend(const std::vector<Trial>& tried) const {
  RECKON_ASSIGN(const Belief belief, believer_.Believe(tried));
  // A choice that fails is as bad as the dearest that is known to work.
  double dear = 0;
  for (const Trial& trial : tried) dear = std::max(dear, CostOf(trial));
  std::vector<double> seconds(price_.size(), 0);
  for (const Trial& trial : tried) seconds[trial.row] = trial.seconds;
  Recommended chosen;
  double least = INFINITY;
  for (size_t row = 0; row < price_.size(); ++row) {
    const bool known = seconds[row] > 0;
    const double expected_s = known ? seconds[row] : belief.ExpectedSeconds(row);
    const double success = belief.ok(static_cast<Index>(row));
    const double risk = success * Cost(row, expected_s) + (1 - success) * dear;
    if (risk < least) {
      least = risk;
      chosen = {row, Cost(row, expected_s), expected_s, success, known};
    }
  }
  return chosen;
}

}  // namespace reckon::decide
