#include "learn/features/choose_terms.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "learn/trees/boosting.h"
#include "learn/validate/splits.h"
#include "numeric/forward_selection.h"

namespace reckon::learn {
namespace {

using Index = Eigen::Index;

// Forward selection keeps the moments of every pair, fold by fold.
constexpr size_t kMostToChooseFrom = 1000;
constexpr size_t kFolds = 5;
constexpr size_t kMostForward = 20;

// Enough to rank terms; how well they forecast does not matter here.
BoostingOptions RankingOptions() {
  BoostingOptions options;
  options.trees = 100;
  options.tree.max_depth = 4;
  return options;
}

std::vector<Index> Forward(const Dataset& data, const Matrix& terms, const Vector& target,
                           const TermSelection& selection, base::Rng rng,
                           const std::stop_token& stop) {
  std::vector<numeric::FoldRows> folds;
  for (const Split& split : GroupedKFoldSplits(data, std::min(kFolds, data.rows()), rng)) {
    folds.push_back(
        {{split.train.begin(), split.train.end()}, {split.test.begin(), split.test.end()}});
  }
  // A third of the rows: least squares on more terms fits anything.
  const size_t most = selection.most_terms > 0
                          ? static_cast<size_t>(selection.most_terms)
                          : std::min(kMostForward, std::max<size_t>(1, data.rows() / 3));
  return numeric::SelectForward(terms, target, folds, most, stop);
}

// The fewest terms, greatest gain first, that reach the share of it.
std::vector<Index> ByImportance(const Matrix& terms, const Vector& target,
                                const TermSelection& selection, base::Rng rng) {
  const Vector shares = GainShares(terms, target, rng);
  std::vector<Index> order(static_cast<size_t>(terms.cols()));
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](Index a, Index b) { return shares(a) > shares(b); });
  const size_t most =
      selection.most_terms > 0 ? static_cast<size_t>(selection.most_terms) : order.size();
  size_t kept = 0;
  double reached = 0;
  while (kept < std::min(most, order.size()) &&
         (kept == 0 || (shares(order[kept]) > 0 && reached < selection.gain_share))) {
    reached += shares(order[kept++]);
  }
  order.resize(kept);
  return order;
}

}  // namespace

Vector GainShares(const Matrix& columns, const Vector& target, base::Rng rng) {
  const Vector weight = Vector::Ones(target.size());
  const BoostingOptions options = RankingOptions();
  const Boosted boosted = Boost(BinnedFeatures(columns), target, weight, options, rng);
  Vector gain = Vector::Zero(columns.cols());
  Vector left_over = target.array() - boosted.base;
  struct Reached {
    double sum = 0;
    double rows = 0;
    double Score(double lambda) const { return sum * sum / (rows + lambda); }
  };
  // Trees do not keep their gains: the rows walk down again, each with what was left of it.
  for (const std::vector<TreeNode>& tree : boosted.trees) {
    std::vector<Reached> reached(tree.size());
    for (Index i = 0; i < target.size(); ++i) {
      size_t at = 0;
      for (;;) {
        reached[at].sum += left_over(i);
        reached[at].rows += 1;
        const TreeNode& node = tree[at];
        if (node.left < 0) break;
        at = static_cast<size_t>(columns(i, node.term) <= node.threshold ? node.left : node.right);
      }
      left_over(i) -= tree[at].value;
    }
    for (size_t n = 0; n < tree.size(); ++n) {
      if (tree[n].left < 0) continue;
      const double lambda = options.tree.lambda;
      const double split = reached[static_cast<size_t>(tree[n].left)].Score(lambda) +
                           reached[static_cast<size_t>(tree[n].right)].Score(lambda) -
                           reached[n].Score(lambda);
      gain(tree[n].term) += std::max(split, 0.0);
    }
  }
  const double total = gain.sum();
  return total > 0 ? Vector(gain / total) : gain;
}

base::Result<FeatureMap> ChooseTerms(const Dataset& data, const Vector& target,
                                     const FeatureOptions& options, size_t limit, base::Rng rng,
                                     const std::stop_token& stop) {
  const std::optional<FeatureMap> all = MakeFeatures(data, options, limit);
  if (!all) return base::Error(base::ErrorCode::kFailed, "too many features");
  if (options.select.way == TermSelection::Way::kNone || all->terms().empty()) return *all;
  if (options.select.way == TermSelection::Way::kForward &&
      all->terms().size() > kMostToChooseFrom) {
    return base::Error(base::ErrorCode::kFailed,
                       fmt::format("forward selection among {} features; it takes at most {}",
                                   all->terms().size(), kMostToChooseFrom));
  }
  const Matrix terms = all->Apply(data.x);
  std::vector<Index> chosen = options.select.way == TermSelection::Way::kForward
                                  ? Forward(data, terms, target, options.select, rng, stop)
                                  : ByImportance(terms, target, options.select, rng);
  if (stop.stop_requested()) return base::Error(base::ErrorCode::kInterrupted, "interrupted");
  std::sort(chosen.begin(), chosen.end());
  std::vector<Term> kept;
  for (const Index t : chosen) kept.push_back(all->terms()[static_cast<size_t>(t)]);
  return FeatureMap(std::move(kept));
}

}  // namespace reckon::learn
