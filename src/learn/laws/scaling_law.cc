#include "learn/laws/scaling_law.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

namespace reckon::learn {
namespace {

using Eigen::Index;
using FactorForm = LawFactor::Form;

// Rows are done in blocks that stay in the nearest cache; nothing is allocated for a row.
constexpr Index kBlock = 256;

template <typename F>
void MultiplyEach(std::span<double> values, const double* cells, F f) {
  for (size_t i = 0; i < values.size(); ++i) values[i] *= f(cells[i]);
}

void Multiply(const LawFactor& factor, const double* cells, std::span<double> values) {
  const double number = factor.number;
  switch (factor.form) {
    case FactorForm::kPower:
      if (number == 1) {
        MultiplyEach(values, cells, [](double x) { return x; });
      } else if (number == -1) {
        MultiplyEach(values, cells, [](double x) { return 1 / x; });
      } else {
        MultiplyEach(values, cells, [number](double x) { return std::pow(x, number); });
      }
      break;
    case FactorForm::kExcess:
      MultiplyEach(values, cells, [number](double x) { return std::max(x - number, 0.0); });
      break;
    case FactorForm::kLog2:
    case FactorForm::kAbove:
    case FactorForm::kUpTo:
      MultiplyEach(values, cells, [&factor](double x) { return factor.Of(x); });
      break;
  }
}

// Writes `first` times the term for the rows from..from + values.size().
void FillTerm(const LawTerm& term, double first, const Matrix& x, Index from,
              std::span<double> values) {
  std::fill(values.begin(), values.end(), first * term.scale);
  for (const LawFactor& factor : term.factors) {
    Multiply(factor, x.data() + static_cast<Index>(factor.column) * x.rows() + from, values);
  }
}

}  // namespace

double LawFactor::Of(double x) const {
  switch (form) {
    case FactorForm::kPower:
      return std::pow(x, number);
    case FactorForm::kLog2:
      return std::pow(std::log2(std::max(x, 1.0)), number);
    case FactorForm::kExcess:
      return std::max(x - number, 0.0);
    case FactorForm::kAbove:
      return x > number ? 1 : 0;
    case FactorForm::kUpTo:
      return x <= number ? 1 : 0;
  }
  return 0;
}

double OverlapSum(double compute, double exchange, double overlap) {
  if (overlap == 1) return compute + exchange;
  const double top = std::max(compute, exchange);
  if (!(top > 0)) return 0;
  const double rest = std::min(compute, exchange) / top;
  return top * std::pow(1 + std::pow(rest, overlap), 1 / overlap);
}

Vector TermValues(const LawTerm& term, const Matrix& x) {
  Vector values(x.rows());
  FillTerm(term, 1, x, 0, {values.data(), static_cast<size_t>(values.size())});
  return values;
}

Vector ScalingLaw::LogTime(const Matrix& x) const {
  Vector out(x.rows());
  std::array<double, kBlock> value;
  std::array<double, kBlock> compute_block;
  std::array<double, kBlock> exchange_block;
  for (Index from = 0; from < x.rows(); from += kBlock) {
    const auto rows = static_cast<size_t>(std::min(kBlock, x.rows() - from));
    const std::span values(value.data(), rows);
    const std::span compute(compute_block.data(), rows);
    const std::span exchanged(exchange_block.data(), rows);
    std::fill(compute.begin(), compute.end(), 0.0);
    std::fill(exchanged.begin(), exchanged.end(), 0.0);
    for (const LawTerm& term : terms) {
      if (term.coefficient == 0) continue;
      FillTerm(term, term.coefficient, x, from, values);
      const std::span sum = term.part == LawPart::kCompute ? compute : exchanged;
      for (size_t i = 0; i < rows; ++i) sum[i] += values[i];
    }
    for (size_t i = 0; i < rows; ++i) {
      const Index row = from + static_cast<Index>(i);
      if (machine) {
        const double level = x(row, static_cast<Index>(*machine));
        if (level >= 0 && level < static_cast<double>(exchange.size())) {
          exchanged[i] *= exchange[static_cast<size_t>(level)];
        }
      }
      const double time = OverlapSum(compute[i], exchanged[i], overlap);
      // Infinite times zero is no number: such a row is far beyond anything real.
      out(row) = std::log(time < kLongest ? std::max(time, kShortest) : kLongest);
    }
  }
  for (size_t j = 0; j < inputs.size(); ++j) {
    const auto column = x.col(static_cast<Index>(inputs[j].column));
    for (Index i = 0; i < x.rows(); ++i) out(i) += weights[j] * inputs[j].Of(column(i));
  }
  return out;
}

}  // namespace reckon::learn
