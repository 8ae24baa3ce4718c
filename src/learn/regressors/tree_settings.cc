#include "learn/regressors/tree_settings.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"

namespace reckon::learn {
namespace {

int Rows(double setting, size_t rows, int least) {
  const double count = setting < 1 ? std::ceil(setting * static_cast<double>(rows)) : setting;
  // More rows than there are say as much as one more.
  const double most = static_cast<double>(rows) + 1;
  return std::max(least, static_cast<int>(std::min(count, most)));
}

size_t ColumnsASplit(const std::string& word, size_t columns) {
  const auto all = static_cast<double>(columns);
  if (word == "third") return std::max<size_t>(1, columns / 3);
  if (word == "sqrt") return static_cast<size_t>(std::max(1.0, std::floor(std::sqrt(all))));
  if (word == "log2") return static_cast<size_t>(std::max(1.0, std::floor(std::log2(all))));
  RECKON_CHECK(word == "all");
  return 0;
}

// Both criteria of means choose the same splits.
bool SameSplits(const std::string& a, const std::string& b) {
  return (a == CriterionName(Criterion::kAbsolute)) == (b == CriterionName(Criterion::kAbsolute));
}

}  // namespace

CartOptions ToCartOptions(const Candidate& candidate, size_t rows, size_t columns) {
  CartOptions options;
  const auto criterion = ParseCriterion(candidate.words.at("criterion"));
  RECKON_CHECK(criterion.ok());
  options.criterion = *criterion;
  options.max_depth = static_cast<int>(candidate.settings.at("max_depth"));
  options.min_split = Rows(candidate.settings.at("min_split"), rows, 2);
  options.min_leaf = Rows(candidate.settings.at("min_leaf"), rows, 1);
  options.columns_a_split = ColumnsASplit(candidate.words.at("max_features"), columns);
  return options;
}

std::vector<size_t> ServedByOneTree(const CandidateGroup& group, size_t first) {
  std::vector<size_t> served;
  const Candidate& one = group[first];
  for (size_t d = first; d < group.size(); ++d) {
    const Candidate& other = group[d];
    if (SameSplits(one.words.at("criterion"), other.words.at("criterion")) &&
        one.words.at("max_features") == other.words.at("max_features") &&
        one.settings.at("min_leaf") == other.settings.at("min_leaf")) {
      served.push_back(d);
    }
  }
  return served;
}

CartOptions WidestOptions(const CandidateGroup& group, const std::vector<size_t>& served,
                          size_t rows, size_t columns) {
  CartOptions widest = ToCartOptions(group[served.front()], rows, columns);
  for (const size_t d : served) {
    const CartOptions options = ToCartOptions(group[d], rows, columns);
    widest.max_depth = std::max(widest.max_depth, options.max_depth);
    widest.min_split = std::min(widest.min_split, options.min_split);
  }
  return widest;
}

}  // namespace reckon::learn
