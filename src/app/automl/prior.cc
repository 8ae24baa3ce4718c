#include "app/automl/prior.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "base/text.h"

namespace reckon::app {
namespace {

using base::BadInput;
using base::Result;
using Shape = Prior::Shape;

struct KnownPrior {
  const char* name;
  Shape shape;
  bool logarithmic;
  bool stepped;
};

constexpr std::array<KnownPrior, 11> kPriors{{
    {"uniform", Shape::kUniform, false, false},
    {"quniform", Shape::kUniform, false, true},
    {"loguniform", Shape::kUniform, true, false},
    {"qloguniform", Shape::kUniform, true, true},
    {"normal", Shape::kNormal, false, false},
    {"qnormal", Shape::kNormal, false, true},
    {"lognormal", Shape::kNormal, true, false},
    {"qlognormal", Shape::kNormal, true, true},
    {"uniformint", Shape::kWhole, false, false},
    {"randint", Shape::kWhole, false, false},
    {"choice", Shape::kChoice, false, false},
}};

// The inverse of the normal distribution, by bisection: a few thousand values are all we need.
double NormalQuantile(double quantile) {
  double low = -8;
  double high = 8;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (0.5 * std::erfc(-middle / std::sqrt(2.0)) < quantile ? low : high) = middle;
  }
  return (low + high) / 2;
}

Result<std::vector<double>> Numbers(const std::string& text, const std::vector<std::string>& parts,
                                    size_t least, size_t most) {
  std::vector<double> numbers;
  for (const std::string& part : parts) {
    const auto number = base::ParseNumber(part);
    if (!number) return BadInput(fmt::format("'{}': '{}' is not a number", text, part));
    numbers.push_back(*number);
  }
  if (numbers.size() < least || numbers.size() > most) {
    return BadInput(fmt::format("'{}' has {}; expected {}", text,
                                base::Count(numbers.size(), "argument"), most));
  }
  return numbers;
}

Literal ChoiceOf(const std::string& part) {
  auto literal = ParseLiteral(part);
  return literal.ok() ? *std::move(literal) : Literal::Text(part);
}

Result<Prior> WholePrior(const std::string& text, const std::vector<double>& numbers,
                         bool upper_included) {
  Prior prior;
  prior.shape = Shape::kWhole;
  prior.low = numbers.size() == 2 ? numbers[0] : 0;
  prior.high = numbers.back() + (upper_included ? 1 : 0);
  const bool whole = prior.low == std::floor(prior.low) && prior.high == std::floor(prior.high);
  if (whole && prior.low < prior.high) return prior;
  return BadInput(fmt::format("'{}': expected whole numbers, the lower one first", text));
}

}  // namespace

Literal Prior::At(double quantile) const {
  if (shape == Shape::kChoice) {
    const auto count = static_cast<double>(choices.size());
    return choices[std::min(choices.size() - 1, static_cast<size_t>(quantile * count))];
  }
  if (shape == Shape::kWhole) return Literal::Whole(std::floor(low + quantile * (high - low)));
  double value = shape == Shape::kUniform ? low + quantile * (high - low)
                                          : low + NormalQuantile(quantile) * high;
  if (logarithmic) value = std::exp(value);
  if (!step) return Literal::Real(value);
  const double rounded = std::round(value / *step) * *step;
  return rounded == std::floor(rounded) ? Literal::Whole(rounded) : Literal::Real(rounded);
}

Result<std::optional<Prior>> ParsePrior(const std::string& text) {
  const size_t open = text.find('(');
  const std::string name(base::Trim(std::string_view(text).substr(0, open)));
  const auto known = std::find_if(kPriors.begin(), kPriors.end(),
                                  [&](const KnownPrior& one) { return name == one.name; });
  if (open == std::string::npos || known == kPriors.end()) return std::optional<Prior>();
  const std::string_view rest = base::Trim(std::string_view(text).substr(open + 1));
  if (!rest.ends_with(')')) return BadInput(fmt::format("'{}' does not end with ')'", text));
  std::vector<std::string> parts;
  for (const std::string_view part : base::Split(rest.substr(0, rest.size() - 1), ',')) {
    parts.emplace_back(base::Trim(part));
  }
  Prior prior;
  prior.shape = known->shape;
  prior.logarithmic = known->logarithmic;
  if (prior.shape == Shape::kChoice) {
    for (const std::string& part : parts) prior.choices.push_back(ChoiceOf(part));
    return std::optional(prior);
  }
  if (prior.shape == Shape::kWhole) {
    const bool included = name == "uniformint";
    RECKON_ASSIGN(const auto numbers, Numbers(text, parts, included ? 2 : 1, 2));
    RECKON_ASSIGN(prior, WholePrior(text, numbers, included));
    return std::optional(prior);
  }
  const size_t count = known->stepped ? 3 : 2;
  RECKON_ASSIGN(const auto numbers, Numbers(text, parts, count, count));
  prior.low = numbers[0];
  prior.high = numbers[1];
  if (prior.logarithmic) {
    if (!(prior.low > 0 && prior.high > 0)) {
      return BadInput(fmt::format("'{}': a logarithmic prior needs numbers above 0", text));
    }
    prior.low = std::log(prior.low);
    prior.high = std::log(prior.high);
  }
  const bool uniform = prior.shape == Shape::kUniform;
  if (uniform ? prior.low > prior.high : prior.high < 0) {
    return BadInput(fmt::format(
        "'{}': {}", text,
        uniform ? "expected the lower number first" : "expected a deviation that is not negative"));
  }
  if (known->stepped) {
    if (!(numbers[2] > 0)) return BadInput(fmt::format("'{}': expected a step above 0", text));
    prior.step = numbers[2];
  }
  return std::optional(prior);
}

std::vector<std::vector<double>> LatinHypercube(size_t count, size_t dimensions, base::Rng rng) {
  std::vector<std::vector<double>> points(count, std::vector<double>(dimensions));
  for (size_t d = 0; d < dimensions; ++d) {
    base::Rng own = rng.Fork(d);
    const std::vector<size_t> part = own.Permutation(count);
    for (size_t i = 0; i < count; ++i) {
      points[i][d] = (static_cast<double>(part[i]) + own.Uniform()) / static_cast<double>(count);
    }
  }
  return points;
}

}  // namespace reckon::app
