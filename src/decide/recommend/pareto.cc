#include "decide/recommend/pareto.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "base/units.h"

namespace reckon::decide {
namespace {

// Expected time and cost, computed once: a hundred thousand options are compared often.
struct Outlook {
  std::vector<double> seconds;
  std::vector<double> cost;
};

base::Status Check(std::span<const ClusterOption> options, const ClusterWish& wish) {
  if (options.empty()) return base::BadInput("no cluster to choose from");
  for (const ClusterOption& option : options) {
    if (option.price_per_hour > 0 && option.startup_s >= 0) continue;
    return base::BadInput(fmt::format("{}: a price of {} an hour; expected one above 0",
                                      option.name, option.price_per_hour));
  }
  if (wish.deadline_s && !(*wish.deadline_s > 0)) {
    return base::BadInput("a deadline must be above 0");
  }
  if (wish.budget && !(*wish.budget > 0)) return base::BadInput("a budget must be above 0");
  if (!(wish.confidence > 0 && wish.confidence < 1)) {
    return base::BadInput("a probability lies between 0 and 1");
  }
  return {};
}

std::vector<size_t> FrontOf(const Outlook& outlook) {
  std::vector<size_t> order(outlook.seconds.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    if (outlook.seconds[a] != outlook.seconds[b]) return outlook.seconds[a] < outlook.seconds[b];
    if (outlook.cost[a] != outlook.cost[b]) return outlook.cost[a] < outlook.cost[b];
    return a < b;
  });
  std::vector<size_t> front;
  double cheapest = INFINITY;
  for (const size_t index : order) {
    if (outlook.cost[index] >= cheapest) continue;
    cheapest = outlook.cost[index];
    front.push_back(index);
  }
  return front;
}

// Farthest below the line between the ends of the front, time and cost on logarithms: where ratios
// are traded one for one.
size_t KneeOf(const Outlook& outlook, const std::vector<size_t>& front) {
  const auto x = [&](size_t i) { return std::log(outlook.seconds[i]); };
  const auto y = [&](size_t i) { return std::log(outlook.cost[i]); };
  const size_t first = front.front();
  const size_t last = front.back();
  const double width = x(last) - x(first);
  const double height = y(first) - y(last);
  size_t knee = first;
  double most = -INFINITY;
  for (const size_t i : front) {
    const double along = width > 0 ? (x(i) - x(first)) / width : 0;
    const double below = height > 0 ? (y(first) - y(i)) / height : 0;
    if (below - along > most + 1e-12) {
      most = below - along;
      knee = i;
    }
  }
  return knee;
}

// By the same numbers that the nearest wish is told by: what is told must be kept when asked for.
bool Keeps(const ClusterOption& option, const ClusterWish& wish) {
  if (wish.deadline_s && !AtMost(option.SecondsAt(wish.confidence), *wish.deadline_s)) return false;
  return !wish.budget || AtMost(option.CostAt(wish.confidence), *wish.budget);
}

std::string Money(double amount) { return base::FormatNumber(amount); }

// What nobody can do, and what comes nearest.
base::Error Impossible(std::span<const ClusterOption> options, const ClusterWish& wish) {
  const double p = wish.confidence;
  const auto least = [&](auto value) {
    return *std::min_element(
        options.begin(), options.end(),
        [&](const ClusterOption& a, const ClusterOption& b) { return value(a) < value(b); });
  };
  const ClusterOption fastest = least([&](const auto& option) { return option.SecondsAt(p); });
  const ClusterOption cheapest = least([&](const auto& option) { return option.CostAt(p); });
  const std::string sure = fmt::format("with {} % probability", base::FormatNumber(100 * p));
  if (wish.deadline_s && !AtMost(fastest.SecondsAt(p), *wish.deadline_s)) {
    return base::BadInput(fmt::format(
        "no cluster ends within {} {}: the fastest, {}, needs {}, {} more; that would be the "
        "nearest deadline",
        base::FormatDuration(*wish.deadline_s), sure, fastest.name,
        base::FormatDuration(fastest.SecondsAt(p)),
        base::FormatDuration(fastest.SecondsAt(p) - *wish.deadline_s)));
  }
  if (wish.budget && !AtMost(cheapest.CostAt(p), *wish.budget)) {
    return base::BadInput(fmt::format(
        "no cluster costs at most {} {}: the cheapest, {}, needs {}, {} more; that would be the "
        "nearest budget",
        Money(*wish.budget), sure, cheapest.name, Money(cheapest.CostAt(p)),
        Money(cheapest.CostAt(p) - *wish.budget)));
  }
  // Each wish alone can be fulfilled: what the deadline costs at least.
  const ClusterOption within = least([&](const auto& option) {
    return AtMost(option.SecondsAt(p), *wish.deadline_s) ? option.CostAt(p) : INFINITY;
  });
  const ClusterOption affordable = least([&](const auto& option) {
    return AtMost(option.CostAt(p), *wish.budget) ? option.SecondsAt(p) : INFINITY;
  });
  return base::BadInput(fmt::format(
      "no cluster ends within {} for {} {}: to be in time costs {} ({}); for the money it takes {} "
      "({})",
      base::FormatDuration(*wish.deadline_s), Money(*wish.budget), sure, Money(within.CostAt(p)),
      within.name, base::FormatDuration(affordable.SecondsAt(p)), affordable.name));
}

// E[(limit - X)+] over X <= cap alone.
double SavedBelow(const LogNormal& x, double limit, double cap) {
  if (cap >= limit) return x.ExpectedBelow(limit);
  if (!(cap > 0)) return 0;
  if (x.deviation <= 0) return std::exp(x.mean) <= cap ? limit - std::exp(x.mean) : 0;
  const double z = (std::log(cap) - x.mean) / x.deviation;
  return limit * numeric::NormalBelow(z) - x.Expected() * numeric::NormalBelow(z - x.deviation);
}

// What knowing the option's time would save, if it turned out better than the chosen one and kept
// the wish; without one, if it turned out to be as fast at least.
double Saving(const ClusterOption& option, const ClusterOption& chosen, const ClusterWish& wish,
              bool for_time) {
  if (option.seconds.deviation <= 0) return 0;  // nothing is left to know
  double most_s = INFINITY;                     // that the wish leaves it
  if (!wish.deadline_s && !wish.budget) most_s = chosen.ExpectedSeconds() - option.startup_s;
  if (wish.deadline_s) most_s = *wish.deadline_s - option.startup_s;
  if (wish.budget) {
    most_s = std::min(most_s, (*wish.budget - option.StartupCost()) * 3600 / option.price_per_hour);
  }
  if (for_time) {
    return SavedBelow(option.seconds, chosen.ExpectedSeconds() - option.startup_s, most_s);
  }
  return SavedBelow(option.Cost(), chosen.ExpectedCost() - option.StartupCost(),
                    most_s * option.price_per_hour / 3600);
}

std::optional<WorthMeasuring> MeasureNext(std::span<const ClusterOption> options,
                                          const ClusterWish& wish, const ClusterChoice& choice) {
  std::optional<WorthMeasuring> best;
  const ClusterOption& chosen = options[choice.chosen];
  for (size_t i = 0; i < options.size(); ++i) {
    if (i == choice.chosen) continue;
    const double saves = Saving(options[i], chosen, wish, choice.for_time);
    if (saves <= 0 || (best && saves <= best->saves)) continue;
    best = WorthMeasuring{i, saves, options[i].ExpectedCost()};
  }
  const double all = choice.for_time ? chosen.ExpectedSeconds() : chosen.ExpectedCost();
  constexpr double kWorthAWord = 1e-3;
  if (best && best->saves < kWorthAWord * all) return std::nullopt;
  return best;
}

std::string Why(const ClusterOption& chosen, const ClusterWish& wish, size_t options,
                size_t keepers) {
  const std::string sure =
      fmt::format("with {} % probability", base::FormatNumber(100 * wish.confidence));
  if (wish.deadline_s) {
    return fmt::format("the cheapest of {} clusters ({} in all) that end within {}{} {}", keepers,
                       options, base::FormatDuration(*wish.deadline_s),
                       wish.budget ? " for at most " + Money(*wish.budget) : "", sure);
  }
  if (wish.budget) {
    return fmt::format("the fastest of {} clusters ({} in all) that cost at most {} {}", keepers,
                       options, Money(*wish.budget), sure);
  }
  return fmt::format("the knee of {} clusters: beyond {} more money buys little time", options,
                     chosen.name);
}

}  // namespace

base::Result<ClusterChoice> ChooseCluster(std::span<const ClusterOption> options,
                                          const ClusterWish& wish) {
  RECKON_TRY(Check(options, wish));
  Outlook outlook;
  outlook.seconds.reserve(options.size());
  outlook.cost.reserve(options.size());
  for (const ClusterOption& option : options) {
    outlook.seconds.push_back(option.ExpectedSeconds());
    outlook.cost.push_back(option.ExpectedCost());
  }
  ClusterChoice choice;
  choice.front = FrontOf(outlook);
  choice.knee = KneeOf(outlook, choice.front);
  choice.chosen = choice.knee;
  choice.for_time = wish.budget && !wish.deadline_s;
  size_t keepers = 0;
  if (wish.deadline_s || wish.budget) {
    std::optional<size_t> best;
    const auto& first = choice.for_time ? outlook.seconds : outlook.cost;
    const auto& second = choice.for_time ? outlook.cost : outlook.seconds;
    for (size_t i = 0; i < options.size(); ++i) {
      if (!Keeps(options[i], wish)) continue;
      ++keepers;
      if (!best || first[i] < first[*best] ||
          (first[i] == first[*best] && second[i] < second[*best])) {
        best = i;
      }
    }
    if (!best) return Impossible(options, wish);
    choice.chosen = *best;
  }
  choice.why = Why(options[choice.chosen], wish, options.size(), keepers);
  choice.measure = MeasureNext(options, wish, choice);
  return choice;
}

}  // namespace reckon::decide
