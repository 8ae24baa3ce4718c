#include "learn/regressors/process_fit.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "learn/regressors/kernel_predictor.h"
#include "learn/thin_rows.h"
#include "numeric/gaussian_process.h"
#include "numeric/standardise.h"

namespace reckon::learn {
namespace {

constexpr size_t kKernelRows = 200;  // enough to tell a handful of length scales

// Terms of one input share a length scale; a product belongs to its first factor.
std::vector<size_t> GroupsOf(const FeatureMap& features) {
  std::map<size_t, size_t> group_of_column;
  std::vector<size_t> groups;
  for (const Term& term : features.terms()) {
    const size_t column = term.factors.front().column;
    groups.push_back(group_of_column.try_emplace(column, group_of_column.size()).first->second);
  }
  return groups;
}

numeric::ProcessData Pick(const numeric::ProcessData& data, const std::vector<size_t>& rows) {
  return {data.x(rows, Eigen::all), data.y(rows), data.count(rows), data.group};
}

}  // namespace

base::Result<std::unique_ptr<Predictor>> FitProcess(const FeatureMap& features,
                                                    const Configurations& rows, size_t most_rows,
                                                    const base::Rng& rng) {
  if (features.terms().empty()) return base::Error(base::ErrorCode::kFailed, "no input varies");
  const std::vector<size_t> kept = ThinRows(rows.rows.size(), most_rows, rng.Fork(1));
  const Matrix inputs = rows.x(kept, Eigen::all);
  numeric::Standardised standard = numeric::Standardise(features.Apply(inputs));
  const Vector target = rows.target(kept);
  const double middle = target.mean();
  const double spread =
      std::max(std::sqrt((target.array() - middle).square().mean()), 1e-9 * std::fabs(middle));
  if (!(spread > 0)) return base::Error(base::ErrorCode::kFailed, "every target is 0");
  const numeric::ProcessData data{std::move(standard.x), (target.array() - middle) / spread,
                                  rows.count(kept), GroupsOf(features)};
  const numeric::ProcessKernel kernel =
      numeric::FitKernel(Pick(data, ThinRows(kept.size(), kKernelRows, rng.Fork(2))));
  RECKON_ASSIGN(const Vector coefficients, numeric::ProcessCoefficients(data, kernel));

  KernelPredictor::Parts parts;
  parts.shape = KernelFormula::Shape::kMatern52;
  parts.coefficients = spread * kernel.signal * coefficients;
  parts.centres = inputs;
  // The linear kernel's sum over rows is one weight a term.
  const auto terms = static_cast<double>(data.x.cols());
  parts.weights =
      standard.Unscaled(data.x.transpose() * coefficients * (spread * kernel.linear / terms));
  parts.intercept = middle - parts.weights.dot(standard.mean);
  Vector length(data.x.cols());
  for (Eigen::Index t = 0; t < length.size(); ++t) {
    length(t) = std::sqrt(kernel.weights[data.group[static_cast<size_t>(t)]]);
  }
  parts.scale = standard.Unscaled(length);
  parts.features = features;
  return std::unique_ptr<Predictor>(std::make_unique<KernelPredictor>(std::move(parts)));
}

}  // namespace reckon::learn
