#include "numeric/differential_evolution.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/check.h"

namespace reckon::numeric {
namespace {

using Index = Eigen::Index;

constexpr size_t kFewestMembers = 5;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

double Within(const Bounds& bounds, double share) {
  return std::min(bounds.low + share * (bounds.high - bounds.low), bounds.high);
}

class Evolution {
 public:
  Evolution(const CostFunction& cost, std::span<const Bounds> bounds,
            const EvolutionOptions& options, base::Rng rng)
      : cost_(cost), bounds_(bounds), options_(options), rng_(rng) {}

  void Start(const std::stop_token& stop) {
    const size_t members =
        std::max(kFewestMembers, options_.population_per_parameter * bounds_.size());
    result_.population = LatinHypercube(bounds_, members, rng_);
    result_.costs = Vector::Constant(static_cast<Index>(members), kInfinity);
    for (Index i = 0; i < result_.costs.size() && !stop.stop_requested(); ++i) {
      trial_ = result_.population.col(i);
      result_.costs(i) = Cost(trial_);
    }
    result_.costs.minCoeff(&best_);
  }

  void Generation(const std::stop_token& stop) {
    const double factor =
        options_.mutation_low + rng_.Uniform() * (options_.mutation_high - options_.mutation_low);
    for (Index i = 0; i < result_.costs.size() && !stop.stop_requested(); ++i) {
      MakeTrial(i, factor);
      const double cost = Cost(trial_);
      if (!(cost <= result_.costs(i))) continue;
      result_.population.col(i) = trial_;
      result_.costs(i) = cost;
      if (cost < result_.costs(best_)) best_ = i;
    }
    ++result_.generations;
  }

  bool Settled() const {
    const double mean = result_.costs.mean();
    if (!std::isfinite(mean)) return false;
    const double deviation = std::sqrt((result_.costs.array() - mean).square().mean());
    return deviation <= options_.absolute_tolerance + options_.relative_tolerance * std::fabs(mean);
  }

  double best_cost() const { return result_.costs(best_); }

  EvolutionResult Finish(bool converged) {
    result_.best = result_.population.col(best_);
    result_.cost = best_cost();
    result_.converged = converged;
    return std::move(result_);
  }

 private:
  double Cost(const Vector& x) {
    ++result_.evaluations;
    double cost = cost_(x);
    if (std::isnan(cost)) cost = kInfinity;
    return cost;
  }

  void MakeTrial(Index target, double factor) {
    std::array<size_t, 2> donors{};
    DrawDonors(static_cast<size_t>(result_.costs.size()), static_cast<size_t>(target), rng_,
               donors);
    const auto first = static_cast<Index>(donors[0]);
    const auto second = static_cast<Index>(donors[1]);
    trial_ = result_.population.col(target);
    const auto sure = static_cast<Index>(rng_.Below(bounds_.size()));
    for (Index j = 0; j < trial_.size(); ++j) {
      // Drawn for every parameter, so that the stream does not depend on the branch.
      const bool take = rng_.Uniform() < options_.recombination || j == sure;
      if (!take) continue;
      const Bounds& bounds = bounds_[static_cast<size_t>(j)];
      const Matrix& members = result_.population;
      const double mutant = members(j, best_) + factor * (members(j, first) - members(j, second));
      const bool inside = mutant >= bounds.low && mutant <= bounds.high;
      trial_(j) = inside ? mutant : Within(bounds, rng_.Uniform());
    }
  }

  const CostFunction& cost_;
  std::span<const Bounds> bounds_;
  const EvolutionOptions& options_;
  base::Rng rng_;
  EvolutionResult result_;
  Index best_ = 0;
  Vector trial_;
};

}  // namespace

Matrix LatinHypercube(std::span<const Bounds> bounds, size_t members, base::Rng& rng) {
  Matrix points(static_cast<Index>(bounds.size()), static_cast<Index>(members));
  for (size_t j = 0; j < bounds.size(); ++j) {
    const std::vector<size_t> slices = rng.Permutation(members);
    for (size_t i = 0; i < members; ++i) {
      const double share =
          (static_cast<double>(slices[i]) + rng.Uniform()) / static_cast<double>(members);
      points(static_cast<Index>(j), static_cast<Index>(i)) = Within(bounds[j], share);
    }
  }
  return points;
}

void DrawDonors(size_t count, size_t target, base::Rng& rng, std::span<size_t> chosen) {
  RECKON_CHECK(count > chosen.size());
  for (size_t k = 0; k < chosen.size(); ++k) {
    const auto taken = chosen.first(k);
    do {
      chosen[k] = rng.Below(count);
    } while (chosen[k] == target ||
             std::find(taken.begin(), taken.end(), chosen[k]) != taken.end());
  }
}

EvolutionResult Evolve(const CostFunction& cost, std::span<const Bounds> bounds,
                       const EvolutionOptions& options, base::Rng rng, const std::stop_token& stop,
                       const EvolutionCallback& callback) {
  RECKON_CHECK(!bounds.empty());
  for (const Bounds& bound : bounds) RECKON_CHECK(bound.low <= bound.high);
  Evolution evolution(cost, bounds, options, rng);
  evolution.Start(stop);
  bool settled = evolution.Settled();
  for (size_t generation = 1; !settled && generation <= options.max_generations; ++generation) {
    if (stop.stop_requested()) break;
    evolution.Generation(stop);
    settled = evolution.Settled();
    if (callback && !callback(generation, evolution.best_cost())) break;
  }
  return evolution.Finish(settled);
}

}  // namespace reckon::numeric
