#include "learn/laws/fit_scaling_law.h"

#include <cmath>
#include <limits>

#include "numeric/nnls.h"
#include "numeric/ridge_path.h"
#include "numeric/robust_descent.h"

namespace reckon::learn {
namespace {

using Eigen::Index;

// Penalties are against about one unit of squared log error a configuration.
constexpr double kLevelPenalty = 2e-3;
constexpr double kPowerPenalty = 2e-3;
constexpr double kExchangePenalty = 0.05;  // own factors of machines are pooled towards the others
constexpr double kMostPower = 4;
constexpr double kMostExchange = 3;  // log of a machine's own factor
constexpr double kMostWeight = 50;
constexpr double kGuessPenalty = 1e-3;
constexpr double kLeastShare =
    1e-3;                        // of the time, that a start gives to every term that may overlap
constexpr double kFloor = -690;  // log of what a time is held above while fitting

Vector RowWeights(const ScalingLawProblem& problem, const Configurations& rows) {
  if (problem.row_weight.size() == 0) return ConfigurationWeights(rows);
  const Vector weight = ConfigurationWeights(rows).cwiseProduct(problem.row_weight);
  return weight / weight.mean();
}

// The parameters in a row: coefficients (in shares of the time), overlap, own factors of machines
// (logarithms), weights of inputs.
class Layout {
 public:
  Layout(const ScalingLawProblem& problem, const Configurations& rows)
      : problem_(problem), rows_(rows) {
    const auto n = rows.x.rows();
    terms_.resize(n, static_cast<Index>(problem.terms.size()));
    scale_.resize(terms_.cols());
    for (Index k = 0; k < terms_.cols(); ++k) {
      terms_.col(k) = TermValues(problem.terms[static_cast<size_t>(k)], rows.x);
      const double mean = (terms_.col(k).array() / rows.target.array().exp()).mean();
      // No row tells a term that is 0 everywhere.
      scale_(k) = mean > 0 && std::isfinite(mean) ? 1 / mean : 0;
      terms_.col(k) *= scale_(k);
    }
    inputs_ = LawInputs::Apply(problem.inputs, rows.x);
    if (problem.machine) {
      for (size_t level = 0; level < problem.own_exchange.size(); ++level) {
        if (problem.own_exchange[level]) own_.push_back(level);
      }
    }
  }

  Index overlap() const { return terms_.cols(); }
  Index exchange() const { return overlap() + (problem_.overlaps ? 1 : 0); }
  Index weights() const { return exchange() + static_cast<Index>(own_.size()); }
  Index size() const { return weights() + inputs_.cols(); }
  const Matrix& terms() const { return terms_; }
  const Matrix& inputs() const { return inputs_; }
  bool Told(Index term) const { return scale_(term) > 0; }

  numeric::RobustProblem ToRobust() const {
    numeric::RobustProblem robust;
    robust.weight = RowWeights(problem_, rows_);
    robust.prior = Vector::Zero(size());
    robust.penalty = Vector::Zero(size());
    robust.lower = Vector::Zero(size());
    robust.upper = Vector::Constant(size(), 1e6);
    for (Index k = 0; k < terms_.cols(); ++k) {
      if (!Told(k)) robust.upper(k) = 0;
    }
    if (problem_.overlaps) {
      robust.lower(overlap()) = 1;
      robust.upper(overlap()) = ScalingLaw::kMostOverlap;
    }
    const auto own = static_cast<Index>(own_.size());
    robust.penalty.segment(exchange(), own).setConstant(kExchangePenalty);
    robust.lower.segment(exchange(), own).setConstant(-kMostExchange);
    robust.upper.segment(exchange(), own).setConstant(kMostExchange);
    for (Index j = 0; j < inputs_.cols(); ++j) {
      const bool power = problem_.inputs[static_cast<size_t>(j)].form == LawInput::Form::kLog;
      robust.penalty(weights() + j) = power ? kPowerPenalty : kLevelPenalty;
      robust.lower(weights() + j) = power ? -kMostPower : -kMostWeight;
      robust.upper(weights() + j) = power ? kMostPower : kMostWeight;
    }
    robust.residuals = [this](const Vector& x, Vector& residual, Matrix* jacobian) {
      Residuals(x, residual, jacobian);
    };
    return robust;
  }

  ScalingLaw ToLaw(const Vector& x) const {
    ScalingLaw law;
    law.name = problem_.name;
    law.terms = problem_.terms;
    for (Index k = 0; k < terms_.cols(); ++k) {
      LawTerm& term = law.terms[static_cast<size_t>(k)];
      term.frozen = !Told(k);
      term.coefficient = term.frozen ? 0 : x(k) * scale_(k);
    }
    for (LawTerm& term : law.terms) {
      if (!term.frozen || !term.stand_in) continue;
      const LawTerm& other = law.terms[*term.stand_in];
      if (!other.frozen) term.coefficient = other.coefficient;
    }
    if (problem_.overlaps) law.overlap = x(overlap());
    if (!own_.empty()) {
      law.machine = problem_.machine;
      law.exchange.assign(problem_.own_exchange.size(), 1.0);
      for (size_t i = 0; i < own_.size(); ++i) {
        law.exchange[own_[i]] = std::exp(x(exchange() + static_cast<Index>(i)));
      }
    }
    law.inputs = problem_.inputs;
    law.weights.assign(x.data() + weights(), x.data() + size());
    return law;
  }

 private:
  // What multiplies the exchange of a row, and which parameter says so (-1: none).
  double OwnExchange(Index row, const Vector& x, Index& parameter) const {
    parameter = -1;
    for (size_t i = 0; i < own_.size(); ++i) {
      const double level = rows_.x(row, static_cast<Index>(*problem_.machine));
      if (level != static_cast<double>(own_[i])) continue;
      parameter = exchange() + static_cast<Index>(i);
      return std::exp(x(parameter));
    }
    return 1;
  }

  void Residuals(const Vector& x, Vector& residual, Matrix* jacobian) const {
    residual = inputs_ * x.tail(inputs_.cols()) - rows_.target;
    if (jacobian != nullptr) {
      jacobian->setZero(residual.size(), size());
      jacobian->rightCols(inputs_.cols()) = inputs_;
    }
    const double g = problem_.overlaps ? x(overlap()) : 1;
    for (Index i = 0; i < residual.size(); ++i) {
      double c = 0;
      double e = 0;
      Index parameter = -1;
      const double own = OwnExchange(i, x, parameter);
      for (Index k = 0; k < terms_.cols(); ++k) {
        const bool compute = problem_.terms[static_cast<size_t>(k)].part == LawPart::kCompute;
        (compute ? c : e) += x(k) * terms_(i, k);
      }
      e *= own;
      const double top = std::max(c, e);
      if (!(top > 0)) {
        residual(i) += kFloor;
        continue;
      }
      const double rest = std::min(c, e) / top;
      const double power = g == 1 ? rest : std::pow(rest, g);
      residual(i) += std::log(top) + std::log1p(power) / g;
      if (jacobian == nullptr) continue;
      // d log t / dC = (C/top)^(g-1) / (top (1 + power)), and the same for E.
      const double larger = 1 / (top * (1 + power));
      const double smaller = larger * (g == 1 ? 1 : std::pow(rest, g - 1));
      const double by_c = c >= e ? larger : smaller;
      const double by_e = c >= e ? smaller : larger;
      for (Index k = 0; k < terms_.cols(); ++k) {
        const bool compute = problem_.terms[static_cast<size_t>(k)].part == LawPart::kCompute;
        (*jacobian)(i, k) = (compute ? by_c : by_e * own) * terms_(i, k);
      }
      if (problem_.overlaps) {
        const double slope = rest > 0 ? power * std::log(rest) / (1 + power) : 0;
        (*jacobian)(i, overlap()) = (slope - std::log1p(power) / g) / g;
      }
      if (parameter >= 0) (*jacobian)(i, parameter) = by_e * e;
    }
  }

  const ScalingLawProblem& problem_;
  const Configurations& rows_;
  Matrix terms_;   // rows x terms, each divided by its mean share of the time
  Vector scale_;   // that it was multiplied by; 0: no row tells it
  Matrix inputs_;  // rows x inputs
  std::vector<size_t> own_;
};

// Coefficients for given weights of the inputs, without overlap.
Vector LinearStart(const Layout& layout, const Configurations& rows, const Vector& row_weight,
                   const Vector& weights) {
  Vector start = Vector::Zero(layout.size());
  start.tail(weights.size()) = weights;
  const Vector scaled = (layout.inputs() * weights - rows.target).array().exp();
  const Vector root = row_weight.cwiseSqrt();
  const auto solved = numeric::SolveNnls(
      (root.array() * scaled.array()).matrix().asDiagonal() * layout.terms(), root);
  if (solved.ok()) {
    start.head(solved->size()) = *solved;
  } else {
    start.head(layout.terms().cols()).setConstant(1 / static_cast<double>(layout.terms().cols()));
  }
  return start;
}

// The law's columns as logarithms: what the inputs' weights must not explain.
Matrix LawColumns(const ScalingLawProblem& problem, const Matrix& x) {
  std::vector<LawInput> columns;
  for (const LawTerm& term : problem.terms) {
    for (const LawFactor& factor : term.factors) {
      const auto same = [&](const LawInput& input) { return input.column == factor.column; };
      if (std::any_of(columns.begin(), columns.end(), same)) continue;
      columns.push_back({LawInput::Form::kLog, factor.column, 0, 0, 1e300});
    }
  }
  return LawInputs::Apply(columns, x);
}

}  // namespace

Vector ConfigurationWeights(const Configurations& rows) {
  const Vector weight = rows.count.cwiseSqrt();
  return weight / weight.mean();
}

Vector GuessInputWeights(const Matrix& inputs, const Matrix& known, const Vector& log_time) {
  if (inputs.cols() == 0) return Vector(0);
  Matrix all(inputs.rows(), inputs.cols() + known.cols());
  all << inputs, known;
  return numeric::RidgePath(all, log_time).Solve(kGuessPenalty).weights.head(inputs.cols());
}

ScalingLaw FitScalingLaw(const ScalingLawProblem& problem, const Configurations& rows) {
  const Layout layout(problem, rows);
  const numeric::RobustProblem robust = layout.ToRobust();
  // A descent costs a hundred times as much as a look at where it starts.
  const auto descend_from_best = [&](const std::vector<Vector>& starts) {
    Vector best;
    double least = std::numeric_limits<double>::infinity();
    for (const Vector& start : starts) {
      const Vector inside = start.cwiseMax(robust.lower).cwiseMin(robust.upper);
      const double cost = numeric::RobustCost(robust, inside);
      if (best.size() > 0 && !(cost < least)) continue;
      best = inside;
      least = cost;
    }
    return numeric::Descend(robust, best);
  };
  const auto linear_start = [&](const Vector& weights) {
    return LinearStart(layout, rows, robust.weight, weights);
  };
  std::vector<Vector> starts{
      linear_start(GuessInputWeights(layout.inputs(), LawColumns(problem, rows.x), rows.target))};
  if (layout.inputs().cols() > 0) {
    starts.push_back(linear_start(Vector::Zero(layout.inputs().cols())));
  }
  numeric::RobustMinimum best = descend_from_best(starts);
  if (problem.overlaps) {
    Vector from = best.x;
    from.head(layout.overlap()) = from.head(layout.overlap()).cwiseMax(kLeastShare);
    starts.clear();
    for (const double overlap : {1.5, 2.5, 5.0, 9.0}) {
      from(layout.overlap()) = overlap;
      starts.push_back(from);
    }
    numeric::RobustMinimum overlapping = descend_from_best(starts);
    if (overlapping.cost < best.cost) best = std::move(overlapping);
  }
  return layout.ToLaw(best.x);
}

}  // namespace reckon::learn
