#include "decide/recommend/search.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "decide/recommend/log_normal.h"
#include "numeric/stats.h"

namespace reckon::decide {
namespace {

using Index = Eigen::Index;

constexpr size_t kFirstTrials = 3;
constexpr double kThrift = 0.5;  // gain over cost to this power

std::vector<bool> TriedRows(const std::vector<Trial>& tried, size_t rows) {
  std::vector<bool> is_tried(rows, false);
  for (const Trial& trial : tried) is_tried[trial.row] = true;
  return is_tried;
}

}  // namespace

ConfigurationSearch::ConfigurationSearch(const core::Table& configurations,
                                         std::vector<double> price_per_hour, SearchOptions options)
    : believer_(configurations, options.seed),
      price_(std::move(price_per_hour)),
      options_(options) {}

// One in the middle of the cheaper half, then those farthest from what was tried: of a random
// handful each, so that seeds differ and no corner is always taken.
size_t ConfigurationSearch::FirstTrial(const std::vector<Trial>& tried) const {
  constexpr size_t kHandful = 8;
  const learn::Matrix& features = believer_.space().features;
  const double dear = numeric::Median(price_);
  const std::vector<bool> is_tried = TriedRows(tried, price_.size());
  std::vector<size_t> rows;
  for (size_t row = 0; row < price_.size(); ++row) {
    if (!is_tried[row] && price_[row] <= dear) rows.push_back(row);
  }
  if (rows.empty()) {
    for (size_t row = 0; row < price_.size(); ++row) {
      if (!is_tried[row]) rows.push_back(row);
    }
  }
  base::Rng rng = base::Rng(options_.seed).Fork(tried.size());
  rng.Shuffle(std::span(rows));
  rows.resize(std::min(rows.size(), kHandful));
  const auto distance = [&](size_t row) {
    const auto at = features.row(static_cast<Index>(row));
    if (tried.empty()) return -at.squaredNorm();  // features have mean 0
    double nearest = INFINITY;
    for (const Trial& trial : tried) {
      nearest = std::min(nearest, (at - features.row(static_cast<Index>(trial.row))).squaredNorm());
    }
    return nearest;
  };
  return *std::max_element(rows.begin(), rows.end(),
                           [&](size_t a, size_t b) { return distance(a) < distance(b); });
}

base::Result<std::optional<NextTrial>> ConfigurationSearch::Next(
    const std::vector<Trial>& tried, std::optional<double> budget) const {
  if (tried.size() >= price_.size()) return std::optional<NextTrial>();
  if (tried.size() < kFirstTrials) return std::optional(NextTrial{FirstTrial(tried), 0, 0});
  RECKON_ASSIGN(const Belief belief, believer_.Believe(tried));
  double best = INFINITY;
  for (const Trial& trial : tried) {
    if (trial.ok) best = std::min(best, CostOf(trial));
  }
  const std::vector<bool> is_tried = TriedRows(tried, price_.size());
  std::optional<NextTrial> next;
  double most = -INFINITY;
  for (size_t row = 0; row < price_.size(); ++row) {
    if (is_tried[row]) continue;
    const auto i = static_cast<Index>(row);
    const LogNormal cost{belief.log_seconds(i) + std::log(price_[row] / 3600), belief.deviation(i)};
    const double expected = cost.Expected();
    if (budget && expected > *budget) continue;
    // Before anything has succeeded success is what is looked for.
    const double gain = std::isinf(best) ? 0 : belief.ok(i) * cost.ExpectedBelow(best);
    const double worth = (std::isinf(best) ? belief.ok(i) : gain) / std::pow(expected, kThrift);
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
    const auto i = static_cast<Index>(row);
    const bool known = seconds[row] > 0;
    const LogNormal time{belief.log_seconds(i), belief.deviation(i)};
    const double expected_s = known ? seconds[row] : time.Expected();
    const double success = belief.ok(i);
    const double risk = success * Cost(row, expected_s) + (1 - success) * dear;
    if (risk < least) {
      least = risk;
      chosen = {row, Cost(row, expected_s), expected_s, success, known};
    }
  }
  return chosen;
}

}  // namespace reckon::decide
