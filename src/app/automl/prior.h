// Hyperopt's priors as configurations write them: 'loguniform(0.01,1)'.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/automl/literal.h"
#include "base/result.h"
#include "base/rng.h"

namespace reckon::app {

// uniform(low, high), loguniform, normal(mean, deviation), lognormal(median, factor), their kin
// with a step (quniform(low, high, step) and so on: whole multiples of it), uniformint(low, high),
// randint(upper) or randint(low, upper), choice(a, b, c). Bounds of logarithmic ones are values,
// not their logarithms.
struct Prior {
  enum class Shape { kUniform, kNormal, kWhole, kChoice };
  Shape shape = Shape::kUniform;
  bool logarithmic = false;
  double low = 0;   // or the mean; a logarithm when logarithmic
  double high = 1;  // or the deviation
  std::optional<double> step;
  std::vector<Literal> choices;

  // The value below which the share `quantile` in [0, 1) of the prior lies.
  Literal At(double quantile) const;
};

// nullopt when `text` is not of the form name(arguments) with a prior's name; kBadInput when it is,
// but its arguments are wrong.
base::Result<std::optional<Prior>> ParsePrior(const std::string& text);

// `count` quantiles for each of `dimensions`: each dimension has one in every of `count` equal
// parts of [0, 1), in an order of its own (Latin hypercube, McKay et al. 1979).
std::vector<std::vector<double>> LatinHypercube(size_t count, size_t dimensions, base::Rng rng);

}  // namespace reckon::app
