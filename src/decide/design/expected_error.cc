#include "decide/design/expected_error.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "decide/design/space.h"
#include "decide/design/surrogate.h"

namespace reckon::decide {
namespace {

constexpr size_t kLeastMeasured = 5;
constexpr double kMeanOfNormal = 0.7978845608028654;  // E|z| = sqrt(2/pi)
constexpr double kSpreadOfNormal = 0.7555;            // deviation of |z| over its mean
constexpr double kSafety = 1.25;
constexpr double kSure = 1.64;  // deviations: one-sided 95 %

}  // namespace

base::Result<std::optional<ExpectedError>> EstimateError(const DesignProblem& problem,
                                                         KernelCache& kernels) {
  RECKON_TRY(CheckProblem(problem));
  Observed observed = Collect(problem.measured);
  if (observed.rows.size() < kLeastMeasured) return std::optional<ExpectedError>();
  const Space space = MakeSpace(problem.candidates);
  const std::set<size_t> seen(observed.rows.begin(), observed.rows.end());
  const std::set<size_t> out(problem.excluded.begin(), problem.excluded.end());
  std::vector<size_t> others;
  for (size_t row = 0; row < problem.candidates.row_count; ++row) {
    if (!seen.contains(row) && !out.contains(row)) others.push_back(row);
  }
  RECKON_ASSIGN(
      const Surrogate surrogate,
      Surrogate::Condition(space, kernels.For(space, problem.measured), std::move(observed)));
  const Surrogate::LeftOut left_out = surrogate.LeaveOneOut();
  // Forecasts are off by more than they claim when the kernel is wrong: by how much is seen where
  // the truth is known, with the margin that so few residuals leave.
  const double missed = left_out.residual.cwiseQuotient(left_out.deviation).cwiseAbs().mean();
  const double margin =
      1 + kSure * kSpreadOfNormal / std::sqrt(static_cast<double>(left_out.residual.size()));
  const double honesty = std::max(1.0, missed / kMeanOfNormal * margin);
  ExpectedError error;
  // The forecast over the truth, less one; residuals are the truth less the forecast.
  error.left_out_percent = 100 * ((-left_out.residual.array()).exp() - 1).abs().mean();
  if (others.empty()) {
    error.unmeasured_percent = error.left_out_percent;
    return std::optional(error);
  }
  const Vector deviation =
      (surrogate.Look(std::move(others)).variance.array() + surrogate.kernel().noise).sqrt();
  error.harder = deviation.mean() / left_out.deviation.mean();
  error.unmeasured_percent = 100 * kMeanOfNormal * honesty * deviation.mean();
  return std::optional(error);
}

double ExpectedPercent(const ExpectedError& process, double left_out_percent) {
  return kSafety *
         std::max(process.unmeasured_percent, left_out_percent * std::max(1.0, process.harder));
}

}  // namespace reckon::decide
