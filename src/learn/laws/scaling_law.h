// Closed-form laws of how a time scales: parts that compute and parts that exchange, each a sum of
// coefficients times simple functions of columns.
//
//   t = (C^g + E^g)^(1/g) * exp(weights . inputs),
//   C = sum of coefficient * term over the computing terms,
//   E = (sum of coefficient * term over the exchanging terms) * the machine's own factor
//
// g = 1 adds the parts up; a larger g lets them overlap (g = 10 is nearly their maximum). The
// inputs are the columns that the law has no place for: levels and powers that scale the whole.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "learn/dataset.h"
#include "learn/laws/law_inputs.h"

namespace reckon::learn {

// A simple function of one numeric column, never negative.
struct LawFactor {
  enum class Form {
    kPower,   // x^number, x > 0
    kLog2,    // log2(x)^number, 0 below x = 1
    kExcess,  // x - number, 0 below
    kAbove,   // 1 where x > number, else 0
    kUpTo,    // 1 where x <= number, else 0
  };
  Form form = Form::kPower;
  size_t column = 0;  // index into Schema::inputs
  double number = 1;

  double Of(double x) const;
  bool operator==(const LawFactor&) const = default;
};

enum class LawPart { kCompute, kExchange };

// coefficient * scale * product of factors.
struct LawTerm {
  std::string parameter;  // what the law's authors call the coefficient
  LawPart part = LawPart::kCompute;
  double scale = 1;
  std::vector<LawFactor> factors;
  // The term whose coefficient this one takes when no row tells it.
  std::optional<size_t> stand_in = std::nullopt;
  double coefficient = 0;  // >= 0
  bool frozen = false;     // no row told the coefficient
};

// A fitted law. Plain values.
struct ScalingLaw {
  std::string name;  // of the law in the library
  std::vector<LawTerm> terms;
  double overlap = 1;  // g, 1..kMostOverlap
  // The category whose levels have their own factor of the exchange; 1 where a level had too few
  // counts of workers to tell, and for a level never seen.
  std::optional<size_t> machine;
  std::vector<double> exchange;  // as many as the machine has levels; > 0
  std::vector<LawInput> inputs;
  std::vector<double> weights;  // as many as inputs

  static constexpr double kMostOverlap = 10;
  // What times are held within, so that their logarithm is finite.
  static constexpr double kShortest = 1e-300;
  static constexpr double kLongest = 1e300;

  // The logarithm of the time for each row; always finite.
  Vector LogTime(const Matrix& x) const;
};

// (C^g + E^g)^(1/g) for C, E >= 0.
double OverlapSum(double compute, double exchange, double overlap);

// The product of the term's factors and its scale, for each row.
Vector TermValues(const LawTerm& term, const Matrix& x);

base::Json ScalingLawToJson(const ScalingLaw& law, const Schema& schema);
// kCorrupt when it is not what ScalingLawToJson writes for a law of this name.
base::Result<ScalingLaw> ScalingLawFromJson(const base::Json& json, const Schema& schema,
                                            std::string_view name);

}  // namespace reckon::learn
