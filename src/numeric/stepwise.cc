#include "numeric/stepwise.h"

#include <cmath>

#include "numeric/student_t.h"
#include "numeric/swept_moments.h"

namespace reckon::numeric {
namespace {

using Index = Eigen::Index;

// Without an intercept columns keep their zero and are brought to a mean square of 1.
Standardised ScaledOnly(const Matrix& x) {
  Standardised out;
  out.mean = Vector::Zero(x.cols());
  out.deviation = (x.colwise().squaredNorm() / static_cast<double>(x.rows())).cwiseSqrt();
  out.x = x;
  for (Index j = 0; j < x.cols(); ++j) {
    if (out.deviation(j) > 0) out.x.col(j) /= out.deviation(j);
  }
  return out;
}

class Stepper {
 public:
  Stepper(const Matrix& x, const Vector& y, const StepwiseOptions& options)
      : options_(options),
        rows_(static_cast<double>(x.rows())),
        columns_(x.cols()),
        moments_(x, y),
        whole_(moments_.Residual()) {}

  // Whether a column came in or went out.
  bool Step() { return Add() || Remove(); }
  const SweptMoments& moments() const { return moments_; }

 private:
  double Freedom(double columns) const { return rows_ - columns - (options_.intercept ? 1 : 0); }

  // The p-value of a coefficient whose column explains `gain`, in a model that leaves `residual`.
  static double PValue(double gain, double residual, double freedom) {
    return TwoSidedStudent(std::sqrt(freedom * gain / residual), freedom);
  }

  bool Add() {
    // What rounding leaves of an exact fit is nothing to explain.
    if (moments_.Residual() <= 1e-14 * whole_) return false;
    Index best = -1;
    for (Index j = 0; j < columns_; ++j) {
      if (!moments_.CanEnter(j)) continue;
      if (best < 0 || moments_.Gain(j) > moments_.Gain(best)) best = j;
    }
    const double freedom = Freedom(in_ + 1);
    if (best < 0 || freedom <= 0) return false;
    const double gain = moments_.Gain(best);
    const double left = std::fmax(moments_.Residual() - gain, 1e-300);
    if (!(PValue(gain, left, freedom) < options_.p_to_add)) return false;
    moments_.Sweep(best);
    ++in_;
    return true;
  }

  bool Remove() {
    Index worst = -1;
    for (Index j = 0; j < columns_; ++j) {
      if (!moments_.IsIn(j)) continue;
      if (worst < 0 || moments_.Gain(j) < moments_.Gain(worst)) worst = j;
    }
    if (worst < 0) return false;
    const double left = std::fmax(moments_.Residual(), 1e-300);
    if (!(PValue(moments_.Gain(worst), left, Freedom(in_)) > options_.p_to_remove)) return false;
    moments_.Sweep(worst);
    --in_;
    return true;
  }

  const StepwiseOptions& options_;
  double rows_;
  Index columns_;
  SweptMoments moments_;
  double whole_;
  double in_ = 0;
};

}  // namespace

RidgePath::Solution SolveStepwise(const Matrix& x, const Vector& y,
                                  const StepwiseOptions& options) {
  const Standardised columns = options.intercept ? Standardise(x) : ScaledOnly(x);
  const double middle = options.intercept ? y.mean() : 0;
  Stepper stepper(columns.x, y.array() - middle, options);
  for (int step = 0; step < options.most_steps && stepper.Step(); ++step) {
  }
  Vector weights = Vector::Zero(x.cols());
  for (Index j = 0; j < x.cols(); ++j) {
    if (stepper.moments().IsIn(j)) weights(j) = stepper.moments().Coefficient(j);
  }
  RidgePath::Solution solution;
  solution.weights = columns.Unscaled(weights);
  solution.intercept = middle - solution.weights.dot(columns.mean);
  return solution;
}

}  // namespace reckon::numeric
