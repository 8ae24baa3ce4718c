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

const char* Describe(SearchEnd end) {
  switch (end) {
    case SearchEnd::kAllTried:
      return "everything was tried that can be";
    case SearchEnd::kBudget:
      return "no other trial fits into what is left of the budget";
    case SearchEnd::kNotWorthIt:
      break;
  }
  return "no other trial should be worth its price";
}

ConfigurationSearch::ConfigurationSearch(const core::Table& configurations,
                                         std::vector<double> price_per_hour, SearchOptions options)
    : believer_(configurations), price_(std::move(price_per_hour)), options_(options) {}

// Of those that should be cheap a random handful, and of these the one farthest from what was
// tried: seeds differ, and no corner is always taken.
std::optional<size_t> ConfigurationSearch::FirstTrial(const std::vector<Trial>& tried,
                                                      const std::vector<bool>& is_tried,
                                                      std::optional<double> budget) const {
  const Matrix& near = believer_.inputs().nearness;
  const Vector usual = believer_.Usual();
  // What is usual tells ratios of times; the trials so far, how long they are.
  double scale = 0;
  for (const Trial& trial : tried) {
    scale += (std::log(trial.seconds) - usual(static_cast<Index>(trial.row))) /
             static_cast<double>(tried.size());
  }
  std::vector<size_t> rows;
  for (size_t row = 0; row < price_.size(); ++row) {
    if (is_tried[row]) continue;
    const double seconds = std::exp(scale + usual(static_cast<Index>(row)));
    if (budget && !tried.empty() && Cost(row, seconds) > *budget) continue;
    rows.push_back(row);
  }
  if (rows.empty()) return std::nullopt;
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
    const std::vector<size_t>& excluded, SearchEnd* why) const {
  const auto end = [&](SearchEnd reason) {
    if (why != nullptr) *why = reason;
    return std::optional<NextTrial>();
  };
  std::vector<bool> is_tried = TriedRows(tried, price_.size());
  for (const size_t row : excluded) is_tried[row] = true;
  if (std::find(is_tried.begin(), is_tried.end(), false) == is_tried.end()) {
    return end(SearchEnd::kAllTried);
  }
  if (budget && *budget <= 0) return end(SearchEnd::kBudget);
  if (tried.size() < kFirstTrials) {
    const auto row = FirstTrial(tried, is_tried, budget);
    return row ? std::optional(NextTrial{*row, 0, 0}) : end(SearchEnd::kBudget);
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
  if (!next) return end(SearchEnd::kBudget);
  if (!std::isinf(best) && next->expected_gain * options_.runs < next->expected_cost) {
    return end(SearchEnd::kNotWorthIt);
  }
  return next;
}

base::Result<Recommended> ConfigurationSearch::Recommend(const std::vector<Trial>& tried) const {
  RECKON_ASSIGN(const Belief belief, believer_.Believe(tried));
  // A choice that fails is as bad as the dearest that is known to work.
  double dear = 0;
  bool any_ok = false;
  std::vector<double> seconds(price_.size(), 0);
  std::vector<bool> failed(price_.size(), false);
  for (const Trial& trial : tried) {
    dear = std::max(dear, CostOf(trial));
    any_ok = any_ok || trial.ok;
    seconds[trial.row] = trial.seconds;
    failed[trial.row] = !trial.ok;
  }
  const bool all_failed = std::find(failed.begin(), failed.end(), false) == failed.end();
  Recommended chosen;
  double least = INFINITY;
  for (size_t row = 0; row < price_.size(); ++row) {
    if (failed[row] && !all_failed) continue;
    const bool known = seconds[row] > 0;
    const double expected_s = known ? seconds[row] : belief.ExpectedSeconds(row);
    const double success = belief.ok(static_cast<Index>(row));
    // While nothing has reached its goal nobody knows what failing costs: the best chance counts.
    const double risk = any_ok ? success * Cost(row, expected_s) + (1 - success) * dear : -success;
    if (risk < least) {
      least = risk;
      chosen = {row, Cost(row, expected_s), expected_s, success, known, !any_ok};
    }
  }
  return chosen;
}

}  // namespace reckon::decide
