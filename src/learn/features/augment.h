// Feature augmentation: which terms to make from the columns.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "learn/features/term.h"
#include "learn/features/term_selection.h"

namespace reckon::learn {

struct FeatureOptions {
  bool raw = true;
  bool inverse = false;  // 1/x, for columns without zeros
  bool log = false;      // log x, for columns with positive values only
  int degree = 1;        // products of up to this many factors, 1..3
  // The only columns to take inverses and logs of; empty: every column that allows it.
  std::vector<std::string> inverse_of = {};
  std::vector<std::string> log_of = {};
  bool interactions_only = false;  // products of different columns only: no squares
  TermSelection select = {};       // which of these terms to keep

  bool operator==(const FeatureOptions&) const = default;
};

// One term for every allowed form of every number, one for every level of every category, and their
// products. A column that is out of the domain of every asked form contributes its raw values, so
// that no column is lost. Products that are constant by construction (x * 1/x, two levels of one
// category) are left out. nullopt when there would be more than `limit` terms.
std::optional<FeatureMap> MakeFeatures(const Dataset& data, const FeatureOptions& options,
                                       size_t limit);

}  // namespace reckon::learn
