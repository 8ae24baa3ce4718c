#include "learn/trees/binned.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_map>

#include "numeric/stats.h"

namespace reckon::learn {
namespace {

constexpr size_t kMostBins = 1 << 16;

// The codes of a column as a key that is the same for the reversed order.
std::string OrderKey(const std::vector<uint16_t>& codes, size_t bins) {
  const auto last = static_cast<uint16_t>(bins - 1);
  bool flip = false;
  for (const uint16_t code : codes) {
    const auto reversed = static_cast<uint16_t>(last - code);
    if (code == reversed) continue;
    flip = reversed < code;
    break;
  }
  std::vector<uint16_t> key = codes;
  if (flip) {
    for (uint16_t& code : key) code = static_cast<uint16_t>(last - code);
  }
  return {reinterpret_cast<const char*>(key.data()), key.size() * sizeof(uint16_t)};
}

}  // namespace

BinnedFeatures::BinnedFeatures(const numeric::Matrix& features)
    : rows_(static_cast<size_t>(features.rows())) {
  const auto columns = static_cast<size_t>(features.cols());
  codes_.resize(rows_ * columns);
  first_bin_.push_back(0);
  std::unordered_map<std::string, size_t> known;
  std::vector<uint16_t> codes(rows_);
  for (size_t j = 0; j < columns; ++j) {
    const auto column = features.col(static_cast<Eigen::Index>(j));
    const std::vector<double> cells(column.begin(), column.end());
    const std::vector<double> distinct = numeric::Distinct(cells);
    const size_t share = (distinct.size() + kMostBins - 1) / kMostBins;
    std::vector<double> lowest;
    std::vector<double> highest;
    for (size_t i = 0; i < distinct.size(); i += share) {
      lowest.push_back(distinct[i]);
      highest.push_back(distinct[std::min(i + share, distinct.size()) - 1]);
    }
    for (size_t i = 0; i < rows_; ++i) {
      const auto above = std::upper_bound(lowest.begin(), lowest.end(), cells[i]);
      codes[i] = static_cast<uint16_t>(above - lowest.begin() - 1);
      codes_[i * columns + j] = codes[i];
    }
    order_.push_back(known.emplace(OrderKey(codes, lowest.size()), j).first->second);
    first_bin_.push_back(first_bin_.back() + lowest.size());
    values_.push_back(std::move(lowest));
    highest_.push_back(std::move(highest));
  }
}

std::vector<uint32_t> BinnedFeatures::DistinctOrders(std::span<const uint32_t> columns) const {
  std::vector<char> seen(values_.size(), 0);
  std::vector<uint32_t> distinct;
  for (const uint32_t j : columns) {
    if (bins(j) < 2 || seen[order_[j]] != 0) continue;
    seen[order_[j]] = 1;
    distinct.push_back(j);
  }
  return distinct;
}

double BinnedFeatures::Threshold(size_t j, size_t low, size_t high) const {
  const double below = highest_[j][low];
  const double above = values_[j][high];
  const double middle = below + (above - below) / 2;
  return middle < above ? middle : below;
}

}  // namespace reckon::learn
