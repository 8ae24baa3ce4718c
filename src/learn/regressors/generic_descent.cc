// The descent of LawProblem: derivatives, steps, and the way down.
#include <algorithm>
#include <cmath>
#include <limits>

#include "learn/regressors/generic_problem.h"

namespace reckon::learn {
namespace {

using Index = Eigen::Index;
using Kind = LawPenalty::Kind;

constexpr double kDamping = 1e-3;
// Of the cost: too little to change it, enough to choose among powers that say the same (nodes,
// cores a node and cores altogether).
constexpr double kTieBreak = 1e-6;

}  // namespace

double LawProblem::SmoothCost(double e) const {
  return (residual_.array().square() + e * e).sqrt().mean();
}

// Normal equations of a step: powers, then constants; rows count by the inverse of their error.
void LawProblem::Jacobian(const LawPoint& point, double e) {
  const Index inner = power_.cols();
  const double share = 1 / static_cast<double>(rows());
  weight_ = (share / (residual_.array().square() + e * e).sqrt()).sqrt();
  cells_ = scaling_.array() * weight_.array();
  design_.resize(power_count_ + last_ + 1, rows());
  for (Index k = 0; k < inner; ++k) {
    auto factor = design_.row(power_count_ + k);
    factor = (power_.col(k).array() * cells_.array()).transpose();
    design_.row(k) = point.constants(k) * factor.array() * log_cells_.col(k).transpose().array();
  }
  for (Index k = inner; k < power_count_; ++k) {
    design_.row(k) = (bracket_.array() * cells_.array() * log_cells_.col(k).array()).transpose();
  }
  if (shape_.base) design_.row(design_.rows() - 2) = cells_.transpose();
  design_.row(design_.rows() - 1) = weight_.transpose();
  NormalEquations(cells_, (weight_.array() * residual_.array()).matrix());
}

double LawProblem::TieBreak(const LawPoint& point) const {
  return tie_break_ / 2 * point.powers.squaredNorm();
}

void LawProblem::AddPenalty(const LawPoint& point, const LawPenalty& penalty) {
  for (Index k = 0; k < power_count_; ++k) {
    gram_(k, k) += tie_break_;
    moment_(k) -= tie_break_ * point.powers(k);
  }
  if (penalty.kind == Kind::kNone) return;
  constexpr double kSmall = 1e-4;
  const bool square = penalty.kind == Kind::kL2;
  const double lambda = penalty.lambda;
  for (Index k = 0; k < power_count_; ++k) {
    const double p = point.powers(k);
    const double curve = square ? 2 * lambda : lambda / std::sqrt(p * p + kSmall * kSmall);
    gram_(k, k) += curve;
    moment_(k) -= curve * p;
  }
  const Index inner = power_.cols();
  for (Index c = 0; c < constant_count_; ++c) {
    if (c == last_) continue;
    const double factor = Factor(point.powers, c);
    const double a = point.constants(c) * factor;
    // The constant as the law is written depends on the powers, too.
    std::vector<std::pair<Index, double>> slope;
    if (c < inner) slope.emplace_back(c, -a * logs_[static_cast<size_t>(c)].centre);
    for (Index k = inner; k < power_count_; ++k) {
      slope.emplace_back(k, -a * logs_[static_cast<size_t>(k)].centre);
    }
    slope.emplace_back(power_count_ + c, factor);
    for (const auto& [i, si] : slope) {
      moment_(i) -= (square ? 2 * lambda * a : lambda) * si;
      if (!square) continue;
      for (const auto& [j, sj] : slope) {
        if (j <= i) gram_(i, j) += 2 * lambda * si * sj;
      }
    }
  }
}

bool LawProblem::Descend(const LawPenalty& penalty, double e, Descent& state) {
  constexpr int kTries = 8;
  const Index size = power_count_ + constant_count_;
  LawPoint& point = state.point;
  Jacobian(point, e);
  AddPenalty(point, penalty);
  LimitsOf(point.powers);
  Vector low(size);
  Vector high(size);
  low << -kLawPowerLimit - point.powers.array(), -point.constants;
  high << kLawPowerLimit - point.powers.array(), (limit_ - point.constants).cwiseMax(0);
  Vector step(size);
  Matrix damped;
  for (int attempt = 0; attempt < kTries; ++attempt) {
    damped = gram_;
    damped.diagonal() *= 1 + state.damping;
    step.setZero();
    solver_.Solve(damped, moment_, low, high, step);
    LawPoint trial{point.powers + step.head(power_count_),
                   point.constants + step.tail(constant_count_)};
    trial.powers = trial.powers.cwiseMax(-kLawPowerLimit).cwiseMin(kLawPowerLimit);
    PowersOf(trial.powers);
    LimitsOf(trial.powers);
    trial.constants = trial.constants.cwiseMax(0).cwiseMin(limit_);
    Residuals(trial);
    const double cost = SmoothCost(e) + PenaltyOf(trial, penalty) + TieBreak(trial);
    if (cost < state.cost) {
      state.gain = (state.cost - cost) / state.cost;
      state.cost = cost;
      state.damping = std::max(state.damping * 0.2, 1e-9);
      point = std::move(trial);
      return true;
    }
    state.damping = std::min(state.damping * 8, 1e6);
  }
  PowersOf(point.powers);
  Residuals(point);
  state.damping = kDamping;
  return false;
}

double LawProblem::Polish(LawPoint& point, const LawPenalty& penalty, Care care) {
  const int levels = care == Care::kRough ? 6 : 14;
  constexpr int kSteps = 6;
  const double start = Cost(point, penalty);
  if (!std::isfinite(start)) return start;
  tie_break_ = kTieBreak * start;
  LawPoint best = point;
  double best_cost = start + TieBreak(point);
  double e = std::max(residual_.cwiseAbs().mean(), std::numeric_limits<double>::min());
  const double tiny = 1e-14 * y_.cwiseAbs().mean();
  Descent state{point, 0, 0, kDamping};
  for (int level = 0; level < levels; ++level) {
    const auto extra = [&] { return PenaltyOf(state.point, penalty) + TieBreak(state.point); };
    state.cost = SmoothCost(e) + extra();
    for (int s = 0; s < kSteps; ++s) {
      if (!Descend(penalty, e, state) || state.gain < 1e-5) break;
    }
    const double error = residual_.cwiseAbs().mean();
    if (error + extra() < best_cost) {
      best_cost = error + extra();
      best = state.point;
    }
    if (error <= tiny) break;
    e = std::min(e, error) * 0.45;
  }
  point = std::move(best);
  return best_cost - TieBreak(point);
}

}  // namespace reckon::learn
