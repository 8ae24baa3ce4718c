#include "learn/search/trials.h"

#include <algorithm>
#include <cmath>

#include "learn/interval.h"
#include "numeric/stats.h"

namespace reckon::learn {
namespace {

constexpr double kCap = 1.5;

// Cuts that left little to learn from count half.
double SplitWeight(const Dataset& train, const Question& question) {
  if (!question.extrapolate) return 1;
  const auto column = train.x.col(static_cast<Eigen::Index>(*question.extrapolate));
  const std::vector<double> cells(column.begin(), column.end());
  return numeric::Distinct(cells).size() < 3 ? 0.5 : 1;
}

}  // namespace

bool Trial::FittedEverywhere() const {
  return std::all_of(predicted.begin(), predicted.end(),
                     [](const std::vector<Vector>& split) { return !split.empty(); });
}

Vector Trial::Pooled(size_t candidate, Eigen::Index rows) const {
  Vector pooled(rows);
  Eigen::Index at = 0;
  for (const std::vector<Vector>& split : predicted) {
    pooled.segment(at, split[candidate].size()) = split[candidate];
    at += split[candidate].size();
  }
  return pooled;
}

SelectionRows CollectRows(const Dataset& data, const std::vector<Split>& splits,
                          const std::vector<Dataset>& train_parts, const Question& question) {
  SelectionRows rows;
  std::vector<double> truth;
  std::vector<double> weight;
  for (size_t s = 0; s < splits.size(); ++s) {
    const double split_weight = SplitWeight(train_parts[s], question);
    for (const size_t test_row : splits[s].test) {
      const auto row = static_cast<Eigen::Index>(test_row);
      truth.push_back(data.y(row));
      // Folds are parts of one whole; cuts are questions of their own.
      weight.push_back(
          question.extrapolate ? split_weight / static_cast<double>(splits[s].test.size()) : 1);
      rows.distance.push_back(InputDistance(data.x.row(row), train_parts[s].schema));
    }
  }
  const auto size = static_cast<Eigen::Index>(truth.size());
  rows.truth = Eigen::Map<const Vector>(truth.data(), size);
  rows.weight = Eigen::Map<const Vector>(weight.data(), size);
  rows.weight /= rows.weight.sum();
  rows.relative = data.y.minCoeff() > 0;
  return rows;
}

double SelectionScore(const SelectionRows& rows, const Vector& predicted) {
  double score = 0;
  for (Eigen::Index i = 0; i < predicted.size(); ++i) {
    if (rows.relative && rows.percentage) {
      score += rows.weight(i) * std::fabs(predicted(i) / rows.truth(i) - 1);
    } else if (rows.relative) {
      const double off =
          predicted(i) > 0 ? std::fabs(std::log(predicted(i) / rows.truth(i))) : kCap;
      score += rows.weight(i) * std::min(off, kCap);
    } else {
      const double off = predicted(i) - rows.truth(i);
      score += rows.weight(i) * off * off;
    }
  }
  return rows.relative ? score : std::sqrt(score);
}

std::vector<Scored> ScoreAll(const std::vector<Trial>& trials, const SelectionRows& rows) {
  std::vector<Scored> all;
  for (size_t t = 0; t < trials.size(); ++t) {
    if (!trials[t].FittedEverywhere()) continue;
    for (size_t c = 0; c < trials[t].group.size(); ++c) {
      Scored scored{t, c, trials[t].technique, 0, trials[t].Pooled(c, rows.truth.size())};
      scored.score = SelectionScore(rows, scored.predicted);
      if (std::isfinite(scored.score)) all.push_back(std::move(scored));
    }
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Scored& a, const Scored& b) { return a.score < b.score; });
  return all;
}

}  // namespace reckon::learn
