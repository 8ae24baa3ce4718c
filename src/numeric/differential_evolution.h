// Differential evolution: a global minimum of a function of bounded numbers, without derivatives.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <stop_token>
#include <vector>

#include "base/rng.h"
#include "numeric/matrix.h"

namespace reckon::numeric {

// low <= high; a parameter with low == high is frozen.
struct Bounds {
  double low = 0;
  double high = 0;
};

// Defaults are those of scipy.optimize.differential_evolution.
struct EvolutionOptions {
  size_t population_per_parameter = 15;  // at least five members in all
  size_t max_generations = 1000;
  double mutation_low = 0.5;  // drawn anew from [low, high) for every generation
  double mutation_high = 1.0;
  double recombination = 0.7;  // share of parameters that a trial takes from the mutant
  // Done when the deviation of the members' costs is <= absolute + relative * |their mean|.
  double relative_tolerance = 0.01;
  double absolute_tolerance = 0;
};

struct EvolutionResult {
  Vector best;
  double cost = 0;  // infinity when no point had a finite cost
  size_t generations = 0;
  size_t evaluations = 0;
  bool converged = false;
  Matrix population;  // a column a member
  Vector costs;       // of the members
};

// NaN counts as infinitely bad.
using CostFunction = std::function<double(const Vector&)>;
// Called after each generation with its number (from 1) and the best cost; false ends the search.
using EvolutionCallback = std::function<bool(size_t generation, double best_cost)>;

// Storn and Price (1997): the best member plus one difference of two donors, with binomial
// crossover, a dithered factor of mutation, a latin hypercube as the start, and members replaced as
// soon as a trial is no worse. Parameters outside their bounds are drawn anew. The best cost never
// rises from one generation to the next. The same `rng` gives the same result. A requested stop
// ends it with the best so far.
EvolutionResult Evolve(const CostFunction& cost, std::span<const Bounds> bounds,
                       const EvolutionOptions& options, base::Rng rng, const std::stop_token& stop,
                       const EvolutionCallback& callback = {});

// One point in each of `members` equal slices of every parameter; a column a point.
Matrix LatinHypercube(std::span<const Bounds> bounds, size_t members, base::Rng& rng);

// Fills `chosen` with indices below `count` that differ from each other and from `target`;
// count > chosen.size().
void DrawDonors(size_t count, size_t target, base::Rng& rng, std::span<size_t> chosen);

}  // namespace reckon::numeric
