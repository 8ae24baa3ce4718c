#include "learn/regressors/generic_problem.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "numeric/stats.h"

namespace reckon::learn {
namespace {

using Index = Eigen::Index;
using Kind = LawPenalty::Kind;

// exp() of more would be infinite, and so would products of two such.
constexpr double kLargestExponent = 300;

double Exp(double x) { return std::exp(std::clamp(x, -kLargestExponent, kLargestExponent)); }

}  // namespace

LawShape ShapeOf(const Schema& schema, const Roles& roles) {
  LawShape shape;
  bool any_category = false;
  for (size_t j = 0; j < schema.inputs.size(); ++j) {
    const InputColumn& input = schema.inputs[j];
    const bool category = input.kind == core::ColumnKind::kCategory;
    any_category = any_category || category;
    if (!input.Varies()) continue;
    const bool outside =
        std::find(roles.extrinsic.begin(), roles.extrinsic.end(), j) != roles.extrinsic.end();
    (category ? shape.categories : (outside ? shape.extrinsic : shape.intrinsic)).push_back(j);
  }
  shape.base = shape.categories.empty() && (shape.intrinsic.empty() || any_category);
  return shape;
}

size_t ParameterCount(const LawShape& shape, const Schema& schema) {
  size_t count = 2 * shape.intrinsic.size() + shape.extrinsic.size() + (shape.base ? 2 : 1);
  for (const size_t j : shape.categories) count += schema.inputs[j].levels.size();
  return count;
}

LawProblem::LawProblem(const Dataset& data, const LawShape& shape, std::span<const size_t> rows,
                       double limit)
    : shape_(shape), largest_(limit) {
  const auto count = static_cast<Index>(rows.size());
  std::vector<size_t> columns = shape.intrinsic;
  columns.insert(columns.end(), shape.extrinsic.begin(), shape.extrinsic.end());
  power_count_ = static_cast<Index>(columns.size());
  log_cells_.resize(count, power_count_);
  y_.resize(count);
  for (Index i = 0; i < count; ++i) y_(i) = data.y(static_cast<Index>(rows[i]));
  for (Index k = 0; k < power_count_; ++k) {
    const auto cells = data.x.col(static_cast<Index>(columns[k]));
    LogColumn column;
    // Of all rows, so that a point means the same whatever the rows.
    column.centre = cells.array().log().mean();
    for (Index i = 0; i < count; ++i) {
      log_cells_(i, k) = std::log(cells(static_cast<Index>(rows[i]))) - column.centre;
    }
    const std::vector<double> all(log_cells_.col(k).begin(), log_cells_.col(k).end());
    column.values = numeric::Distinct(all);
    if (column.values.size() * 4 <= all.size()) {
      for (const double value : all) {
        const auto at = std::lower_bound(column.values.begin(), column.values.end(), value);
        column.codes.push_back(static_cast<uint32_t>(at - column.values.begin()));
      }
    } else {
      column.values = all;
    }
    logs_.push_back(std::move(column));
  }
  last_ = static_cast<Index>(shape.intrinsic.size()) + (shape.base ? 1 : 0);
  constant_count_ = last_ + 1;
  for (const size_t j : shape.categories) {
    std::vector<Index> level(rows.size());
    std::vector<double> rows_of(data.schema.inputs[j].levels.size(), 0);
    for (size_t i = 0; i < rows.size(); ++i) {
      const auto code =
          static_cast<Index>(data.x(static_cast<Index>(rows[i]), static_cast<Index>(j)));
      level[i] = constant_count_ + code;
      rows_of[static_cast<size_t>(code)] += 1;
    }
    constant_count_ += static_cast<Index>(rows_of.size());
    level_of_.push_back(std::move(level));
    level_rows_.push_back(std::move(rows_of));
  }
  power_.resize(count, static_cast<Index>(shape.intrinsic.size()));
  scaling_.resize(count);
  bracket_.resize(count);
  residual_.resize(count);
  row_weight_ = Vector::Ones(count);
}

void LawProblem::PowersOf(const Vector& powers) {
  scaling_.setOnes();
  const Index inner = power_.cols();
  for (Index k = 0; k < power_count_; ++k) {
    const LogColumn& column = logs_[static_cast<size_t>(k)];
    table_.resize(column.values.size());
    for (size_t v = 0; v < table_.size(); ++v) table_[v] = Exp(powers(k) * column.values[v]);
    double* out = k < inner ? power_.col(k).data() : scaling_.data();
    const auto count = static_cast<size_t>(rows());
    if (k < inner) {
      for (size_t i = 0; i < count; ++i)
        out[i] = table_[column.codes.empty() ? i : column.codes[i]];
    } else {
      for (size_t i = 0; i < count; ++i) {
        out[i] *= table_[column.codes.empty() ? i : column.codes[i]];
      }
    }
  }
}

double LawProblem::Factor(const Vector& powers, Index constant) const {
  if (constant == last_) return 1;
  const Index inner = power_.cols();
  double exponent = 0;
  if (constant < inner) exponent -= powers(constant) * logs_[static_cast<size_t>(constant)].centre;
  for (Index k = inner; k < power_count_; ++k) {
    exponent -= powers(k) * logs_[static_cast<size_t>(k)].centre;
  }
  return Exp(exponent);
}

void LawProblem::LimitsOf(const Vector& powers) {
  limit_.resize(constant_count_);
  for (Index c = 0; c < constant_count_; ++c) limit_(c) = largest_ / Factor(powers, c);
}

void LawProblem::Residuals(const LawPoint& point) {
  const Vector& constants = point.constants;
  const Index inner = power_.cols();
  bracket_.setConstant(shape_.base ? constants(last_ - 1) : 0);
  if (inner > 0) bracket_.noalias() += power_ * constants.head(inner);
  for (const std::vector<Index>& level : level_of_) {
    for (Index i = 0; i < rows(); ++i) bracket_(i) += constants(level[static_cast<size_t>(i)]);
  }
  residual_ = y_.array() - bracket_.array() * scaling_.array() - constants(last_);
}

double LawProblem::PenaltyOf(const LawPoint& point, const LawPenalty& penalty) const {
  if (penalty.kind == Kind::kNone) return 0;
  const auto part = [&](double x) { return penalty.kind == Kind::kL1 ? std::fabs(x) : x * x; };
  double sum = 0;
  for (const double power : point.powers) sum += part(power);
  for (Index c = 0; c < constant_count_; ++c) {
    if (c == last_) continue;
    sum += part(point.constants(c) * Factor(point.powers, c));
  }
  return penalty.lambda * sum;
}

double LawProblem::Cost(const LawPoint& point, const LawPenalty& penalty) {
  PowersOf(point.powers);
  Residuals(point);
  return residual_.cwiseAbs().mean() + PenaltyOf(point, penalty);
}

void LawProblem::WeighBy(const LawPoint& point) {
  PowersOf(point.powers);
  Residuals(point);
  const double small = 0.1 * residual_.cwiseAbs().mean() + std::numeric_limits<double>::min();
  row_weight_ = (residual_.cwiseAbs().array() + small).rsqrt();
}

// gram_ and moment_ of design_ (a column a row of the data, without levels), of levels whose cells
// are `cells` where a row has them, and of the `right`-hand sides. Levels are many and nearly
// empty: each row adds to the entries of its own alone.
void LawProblem::NormalEquations(const Vector& cells, const Vector& right) {
  const Index dense = design_.rows();
  const Index skip = dense - last_ - 1;  // powers come before the constants
  const Index size = skip + constant_count_;
  const Index level_count = size - dense;
  gram_.setZero(size, size);
  dense_gram_.setZero(dense, dense);
  dense_gram_.selfadjointView<Eigen::Lower>().rankUpdate(design_);
  gram_.topLeftCorner(dense, dense) = dense_gram_;
  moment_.setZero(size);
  moment_.head(dense).noalias() = design_ * right;
  if (level_count == 0) return;
  cross_.setZero(dense, level_count);
  for (Index i = 0; i < rows(); ++i) {
    const double* row = design_.col(i).data();
    const double cell = cells(i);
    for (size_t g = 0; g < level_of_.size(); ++g) {
      const Index level = skip + level_of_[g][static_cast<size_t>(i)];
      double* sums = cross_.col(level - dense).data();
      for (Index k = 0; k < dense; ++k) sums[k] += cell * row[k];
      moment_(level) += cell * right(i);
      for (size_t h = 0; h <= g; ++h) {
        gram_(level, skip + level_of_[h][static_cast<size_t>(i)]) += cell * cell;
      }
    }
  }
  gram_.bottomLeftCorner(level_count, dense) = cross_.transpose();
}

double LawProblem::FitConstants(LawPoint& point) {
  PowersOf(point.powers);
  LimitsOf(point.powers);
  const Index inner = power_.cols();
  weight_ = scaling_.array() * row_weight_.array();
  design_.resize(last_ + 1, rows());
  for (Index k = 0; k < inner; ++k) {
    design_.row(k) = (power_.col(k).array() * weight_.array()).transpose();
  }
  if (shape_.base) design_.row(last_ - 1) = weight_.transpose();
  design_.row(last_) = row_weight_.transpose();
  NormalEquations(weight_, (y_.array() * row_weight_.array()).matrix());
  if (!gram_.allFinite()) return std::numeric_limits<double>::infinity();
  solver_.Solve(gram_, moment_, Vector::Zero(constant_count_), limit_, point.constants);
  Residuals(point);
  return residual_.cwiseAbs().mean();
}

}  // namespace reckon::learn
