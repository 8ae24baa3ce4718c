// The generic law as an optimisation problem: parameters -> cost, and its derivatives.
#pragma once

#include <span>
#include <vector>

#include "learn/dataset.h"
#include "learn/features/roles.h"
#include "learn/regressors/formula.h"
#include "numeric/box_least_squares.h"

namespace reckon::learn {

inline constexpr double kLawPowerLimit = 5;

// Which columns play which part, as indices into Schema::inputs; only columns that vary.
struct LawShape {
  std::vector<size_t> intrinsic;
  std::vector<size_t> extrinsic;
  std::vector<size_t> categories;
  // One constant in the bracket, where there is no category to give it one and it would be missed.
  bool base = false;

  size_t powers() const { return intrinsic.size() + extrinsic.size(); }
};

LawShape ShapeOf(const Schema& schema, const Roles& roles);
// Constants and powers together.
size_t ParameterCount(const LawShape& shape, const Schema& schema);

struct LawPenalty {
  enum class Kind { kNone, kL1, kL2 };
  Kind kind = Kind::kNone;
  double lambda = 0;
};

// What the fit works on. Powers act on columns divided by their geometric mean, and constants are
// those of the divided columns: then a change of a power leaves the size of its term alone.
struct LawPoint {
  Vector powers;     // intrinsic, then extrinsic
  Vector constants;  // intrinsic factors, base (if any), C, levels of each category
};

// A set of rows with everything about them that does not depend on the parameters. Buffers make it
// fast and unfit for two threads at once.
class LawProblem {
 public:
  // `limit`: the largest constant, in the unit of the target.
  LawProblem(const Dataset& data, const LawShape& shape, std::span<const size_t> rows,
             double limit);

  Eigen::Index rows() const { return y_.size(); }
  Eigen::Index power_count() const { return power_count_; }
  Eigen::Index constant_count() const { return constant_count_; }

  // Mean absolute error of `point`, plus the penalty (which leaves C alone).
  double Cost(const LawPoint& point, const LawPenalty& penalty);

  // The constants that suit `powers`: least squares within the limits, from those in `point`.
  // Returns their mean absolute error, or infinity when the powers give no numbers.
  double FitConstants(LawPoint& point);
  // From now on FitConstants counts rows by the inverse of what they are off at `point`: near it,
  // least squares then come close to the least mean absolute error.
  void WeighBy(const LawPoint& point);

  // Descends from `point` to a minimum of Cost by damped Gauss-Newton steps of all parameters on
  // sqrt(r^2 + e^2), e -> 0 (iteratively reweighted least squares). Returns the Cost. Rough is
  // enough to tell which of two starts is the better one.
  enum class Care { kRough, kFull };
  double Polish(LawPoint& point, const LawPenalty& penalty, Care care = Care::kFull);

  PowerLawFormula ToFormula(const LawPoint& point, const LawPenalty& penalty) const;

 private:
  using Index = Eigen::Index;

  // A numeric column's logarithm, less its mean. Columns with few values have them listed, so that
  // a power is taken once a value and not once a row.
  struct LogColumn {
    double centre = 0;
    std::vector<double> values;
    std::vector<uint32_t> codes;  // row -> values; empty: a value a row
  };

  struct Descent {
    LawPoint point;
    double cost = 0;  // smoothed, with everything that is added to it
    double gain = 0;  // of the last step, relative
    double damping = 0;
  };

  // One step down; false, with the buffers back at the point, when there is none.
  bool Descend(const LawPenalty& penalty, double e, Descent& state);
  double TieBreak(const LawPoint& point) const;
  void PowersOf(const Vector& powers);    // fills power_ and scaling_
  void LimitsOf(const Vector& powers);    // fills limit_: the largest constants there
  void Residuals(const LawPoint& point);  // after PowersOf; fills bracket_ and residual_
  double SmoothCost(double e) const;      // mean sqrt(residual^2 + e^2)
  double PenaltyOf(const LawPoint& point, const LawPenalty& penalty) const;
  void Jacobian(const LawPoint& point, double e);
  void NormalEquations(const Vector& cells, const Vector& right);
  void AddPenalty(const LawPoint& point, const LawPenalty& penalty);
  double Factor(const Vector& powers, Index constant) const;  // constant -> as the law is written

  const LawShape& shape_;
  double largest_;
  double tie_break_ = 0;
  Index power_count_ = 0;
  Index constant_count_ = 0;
  Index last_ = 0;  // of the constants that are no levels: C
  std::vector<LogColumn> logs_;
  Matrix log_cells_;                          // rows x powers
  std::vector<std::vector<Index>> level_of_;  // category, row -> index of its constant
  std::vector<std::vector<double>> level_rows_;
  Vector y_;
  Matrix power_;    // rows x intrinsic
  Vector scaling_;  // rows: product of the extrinsic powers
  Vector bracket_;
  Vector residual_;
  Vector limit_;
  Matrix design_;
  Matrix dense_gram_;
  Matrix cross_;
  Matrix gram_;
  Vector moment_;
  Vector row_weight_;
  Vector weight_;
  Vector cells_;
  std::vector<double> table_;
  numeric::BoxLeastSquares solver_;
};

}  // namespace reckon::learn
