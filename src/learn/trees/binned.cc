#include "learn/trees/binned.h"

#include <algorithm>
#include <numeric>
#include <span>

#include "numeric/stats.h"

namespace reckon::learn {
namespace {

constexpr size_t kMostBins = 1 << 16;

}  // namespace

BinnedFeatures::BinnedFeatures(const numeric::Matrix& features)
    : rows_(static_cast<size_t>(features.rows())) {
  const auto columns = static_cast<size_t>(features.cols());
  codes_.resize(rows_ * columns);
  for (size_t j = 0; j < columns; ++j) {
    const auto column = features.col(static_cast<Eigen::Index>(j));
    std::vector<double> cells(column.begin(), column.end());
    const std::vector<double> distinct = numeric::Distinct(cells);
    const size_t share = (distinct.size() + kMostBins - 1) / kMostBins;
    std::vector<double> lowest;
    std::vector<double> highest;
    for (size_t i = 0; i < distinct.size(); i += share) {
      lowest.push_back(distinct[i]);
      highest.push_back(distinct[std::min(i + share, distinct.size()) - 1]);
    }
    uint16_t* codes = codes_.data() + j * rows_;
    for (size_t i = 0; i < rows_; ++i) {
      const auto above = std::upper_bound(lowest.begin(), lowest.end(), cells[i]);
      codes[i] = static_cast<uint16_t>(above - lowest.begin() - 1);
    }
    values_.push_back(std::move(lowest));
    highest_.push_back(std::move(highest));
  }
}

double BinnedFeatures::Threshold(size_t j, size_t low, size_t high) const {
  const double below = highest_[j][low];
  const double above = values_[j][high];
  const double middle = below + (above - below) / 2;
  return middle < above ? middle : below;
}

}  // namespace reckon::learn
