#include "learn/regressors/generic_fit.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "numeric/differential_evolution.h"

namespace reckon::learn {
namespace {

using Index = Eigen::Index;
using Care = LawProblem::Care;

// Rows that evolution judges powers by.
constexpr size_t kEvolutionRows = 256;
// Rows that starts are compared on before the best is polished on all.
constexpr size_t kStartRows = 2000;
constexpr size_t kStarts = 3;
constexpr size_t kFewestMembers = 20;
constexpr int kRounds = 4;
constexpr std::array<double, 6> kOtherPowers{-3, -1, -0.1, 0.1, 1, 3};

std::vector<size_t> SomeRows(size_t rows, size_t most, base::Rng rng) {
  std::vector<size_t> chosen = rng.Permutation(rows);
  if (rows > most) chosen.resize(most);
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

// The best members of the population that are not neighbours of better ones.
std::vector<LawPoint> Starts(const numeric::EvolutionResult& evolved, Index constants) {
  std::vector<Index> order(static_cast<size_t>(evolved.costs.size()));
  for (size_t i = 0; i < order.size(); ++i) order[i] = static_cast<Index>(i);
  std::stable_sort(order.begin(), order.end(),
                   [&](Index a, Index b) { return evolved.costs(a) < evolved.costs(b); });
  std::vector<LawPoint> starts;
  for (const Index i : order) {
    if (starts.size() == kStarts || !std::isfinite(evolved.costs(i))) break;
    const Vector powers = evolved.population.col(i);
    const bool near = std::any_of(starts.begin(), starts.end(), [&](const LawPoint& start) {
      return (start.powers - powers).cwiseAbs().maxCoeff() < 0.5;
    });
    if (!near) starts.push_back({powers, Vector::Zero(constants)});
  }
  return starts;
}

// Powers worth descending from; none when no powers give finite errors.
std::vector<LawPoint> Search(const Dataset& data, const LawShape& shape, double limit,
                             const base::Rng& rng, const std::stop_token& stop) {
  LawProblem few(data, shape, SomeRows(data.rows(), kEvolutionRows, rng.Fork(1)), limit);
  LawPoint guess{Vector::Zero(few.power_count()), Vector::Zero(few.constant_count())};
  if (few.power_count() == 0) return {guess};  // nothing varies but categories
  const auto cost = [&](const Vector& powers) {
    guess.powers = powers;
    return few.FitConstants(guess);
  };
  const std::vector<numeric::Bounds> bounds(static_cast<size_t>(few.power_count()),
                                            {-kLawPowerLimit, kLawPowerLimit});
  // Fewer members and generations than usual: descent does the rest.
  numeric::EvolutionOptions options;
  options.population_per_parameter = std::max<size_t>(5, kFewestMembers / bounds.size());
  options.max_generations = 12;
  return Starts(numeric::Evolve(cost, bounds, options, rng.Fork(2), stop), few.constant_count());
}

// Descends from every start and returns the lowest cost, with its point in `best`.
double PolishAll(LawProblem& problem, const std::vector<LawPoint>& starts,
                 const LawPenalty& penalty, LawPoint& best) {
  double lowest = std::numeric_limits<double>::infinity();
  for (LawPoint start : starts) {
    const double reached = problem.Polish(start, penalty, Care::kRough);
    if (!(reached < lowest)) continue;
    lowest = reached;
    best = std::move(start);
  }
  return lowest;
}

// A term that says little has several minima, and evolution on few rows does not tell them apart:
// moves one power at a time far off, and descends from the best of these points while that helps.
void TryOtherPowers(LawProblem& problem, double cost, LawPoint& best) {
  for (int round = 0; round < kRounds; ++round) {
    problem.WeighBy(best);
    LawPoint moved;
    double lowest = std::numeric_limits<double>::infinity();
    for (Index k = 0; k < best.powers.size(); ++k) {
      for (const double power : kOtherPowers) {
        if (std::fabs(power - best.powers(k)) < 0.5 * std::fabs(power)) continue;
        LawPoint other = best;
        other.powers(k) = power;
        const double reached = problem.FitConstants(other);
        if (!(reached < lowest)) continue;
        lowest = reached;
        moved = std::move(other);
      }
    }
    if (!std::isfinite(lowest)) break;
    const double reached = problem.Polish(moved, {}, Care::kRough);
    if (!(reached < cost * (1 - 1e-4))) break;
    cost = reached;
    best = std::move(moved);
  }
}

}  // namespace

double LawLimit(const Dataset& data, const LawShape& shape) {
  double needed = data.y.maxCoeff();
  for (const size_t j : shape.extrinsic) needed *= std::max(1.0, data.schema.inputs[j].min);
  if (needed <= kLawConstantLimit) return kLawConstantLimit;
  return std::pow(10, std::ceil(std::log10(needed)) + 1);
}

base::Result<std::vector<LawFit>> FitLaw(const Dataset& data, const LawShape& shape,
                                         std::span<const LawPenalty> penalties, base::Rng rng,
                                         const std::stop_token& stop) {
  const double limit = LawLimit(data, shape);
  const auto interrupted = [] { return base::Error(base::ErrorCode::kInterrupted, "interrupted"); };
  std::vector<LawPoint> starts = Search(data, shape, limit, rng, stop);
  if (stop.stop_requested()) return interrupted();
  if (starts.empty()) {
    return base::Error(base::ErrorCode::kFailed, "no powers give the law a finite error");
  }
  LawProblem some(data, shape, SomeRows(data.rows(), kStartRows, rng.Fork(3)), limit);
  const bool more = data.rows() > kStartRows;
  std::optional<LawProblem> all;
  if (more) all.emplace(data, shape, SomeRows(data.rows(), kLawRows, rng.Fork(4)), limit);
  for (LawPoint& start : starts) some.FitConstants(start);
  LawPoint plain;
  const double plain_cost = PolishAll(some, starts, {}, plain);
  if (!std::isfinite(plain_cost)) {
    return base::Error(base::ErrorCode::kFailed, "no powers give the law a finite error");
  }
  TryOtherPowers(some, plain_cost, plain);
  starts.push_back(plain);
  std::vector<LawFit> fits;
  for (const LawPenalty& penalty : penalties) {
    if (stop.stop_requested()) return interrupted();
    LawPoint best = plain;
    if (penalty.kind != LawPenalty::Kind::kNone) PolishAll(some, starts, penalty, best);
    LawProblem& last = more ? *all : some;
    const double cost = last.Polish(best, penalty);
    fits.push_back({last.ToFormula(best, penalty), cost});
  }
  return fits;
}

}  // namespace reckon::learn
