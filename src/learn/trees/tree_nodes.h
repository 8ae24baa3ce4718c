// The nodes of one tree as JSON, the same for single trees and ensembles.
#pragma once

#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "learn/regressors/formula.h"

namespace reckon::learn {

// Arrays side by side: value, rows, feature (-1 in a leaf), threshold, left, right.
base::Json TreeToJson(const std::vector<TreeNode>& nodes);

// kCorrupt unless every walk from the root ends in a leaf and uses features below `term_count`.
base::Result<std::vector<TreeNode>> TreeFromJson(const base::Json& json, size_t term_count);

}  // namespace reckon::learn
