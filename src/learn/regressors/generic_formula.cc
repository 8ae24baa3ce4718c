// From the parameters of LawProblem to the law as people write it.
#include <algorithm>
#include <limits>
#include <numeric>

#include "learn/regressors/generic_problem.h"

namespace reckon::learn {
namespace {

using Index = Eigen::Index;
using Kind = LawPenalty::Kind;
using Rows = std::vector<std::vector<double>>;  // category, level -> training rows

double SmallestSeen(const std::vector<double>& constants, const std::vector<double>& rows) {
  double smallest = std::numeric_limits<double>::infinity();
  for (size_t l = 0; l < constants.size(); ++l) {
    if (rows[l] > 0) smallest = std::min(smallest, constants[l]);
  }
  return smallest;
}

void TakeAway(double amount, std::vector<double>& constants) {
  for (double& constant : constants) constant = std::max(constant - amount, 0.0);
}

// The error does not tell a constant of one category from one of another: all but the first start
// at 0. Where nothing scales the bracket, the same goes for its constants and C.
void Settle(PowerLawFormula& law, const Rows& rows, double largest) {
  for (size_t g = 1; g < law.levels.size(); ++g) {
    std::vector<double>& first = law.levels.front().constants;
    const double room = largest - *std::max_element(first.begin(), first.end());
    const double shift = std::min(SmallestSeen(law.levels[g].constants, rows[g]), room);
    for (double& constant : first) constant += shift;
    TakeAway(shift, law.levels[g].constants);
  }
  if (!law.extrinsic.empty()) return;
  const double all =
      law.levels.empty() ? law.base : SmallestSeen(law.levels.front().constants, rows.front());
  const double shift = std::min(all, largest - law.constant);
  law.constant += shift;
  if (law.levels.empty()) {
    law.base = std::max(law.base - shift, 0.0);
  } else {
    TakeAway(shift, law.levels.front().constants);
  }
}

}  // namespace

PowerLawFormula LawProblem::ToFormula(const LawPoint& point, const LawPenalty& penalty) const {
  PowerLawFormula law;
  const Index inner = power_.cols();
  const auto written = [&](Index c) {
    return std::clamp(point.constants(c) * Factor(point.powers, c), 0.0, largest_);
  };
  for (Index k = 0; k < inner; ++k) {
    const double factor = written(k);
    law.intrinsic.push_back(
        {shape_.intrinsic[static_cast<size_t>(k)], factor, factor > 0 ? point.powers(k) : 0});
  }
  for (Index k = inner; k < power_count_; ++k) {
    law.extrinsic.push_back({shape_.extrinsic[static_cast<size_t>(k - inner)], point.powers(k)});
  }
  Index at = last_ + 1;
  for (size_t g = 0; g < shape_.categories.size(); ++g) {
    PowerLawFormula::Levels levels{shape_.categories[g], {}, 0};
    const std::vector<double>& seen = level_rows_[g];
    for (size_t l = 0; l < seen.size(); ++l, ++at) {
      levels.constants.push_back(seen[l] > 0 ? written(at) : 0);
    }
    law.levels.push_back(std::move(levels));
  }
  if (shape_.base) law.base = written(last_ - 1);
  law.constant = written(last_);
  // A penalty has its own opinion on which of the equal laws is best.
  if (penalty.kind == Kind::kNone) Settle(law, level_rows_, largest_);
  for (size_t g = 0; g < law.levels.size(); ++g) {
    PowerLawFormula::Levels& levels = law.levels[g];
    const std::vector<double>& seen = level_rows_[g];
    levels.other = std::inner_product(seen.begin(), seen.end(), levels.constants.begin(), 0.0) /
                   std::accumulate(seen.begin(), seen.end(), 0.0);
    for (size_t l = 0; l < seen.size(); ++l) {
      if (seen[l] == 0) levels.constants[l] = levels.other;
    }
  }
  return law;
}

}  // namespace reckon::learn
