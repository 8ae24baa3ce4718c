// What trees and forests are told: the names that scikit-learn's users know.
#pragma once

#include "learn/candidate.h"
#include "learn/trees/cart.h"

namespace reckon::learn {

// Settings "max_depth", "min_split", "min_leaf" (rows; below 1 a share of `rows`, rounded up),
// words "criterion" (mse, friedman_mse, mae) and "max_features" (all, third, sqrt, log2).
CartOptions ToCartOptions(const Candidate& candidate, size_t rows, size_t columns);

// The candidates from `first` on that differ from it in max_depth and min_split at most (and in the
// number of trees): one tree with the widest of their options serves all of them, cut by CutTree.
std::vector<size_t> ServedByOneTree(const CandidateGroup& group, size_t first);
CartOptions WidestOptions(const CandidateGroup& group, const std::vector<size_t>& served,
                          size_t rows, size_t columns);

}  // namespace reckon::learn
