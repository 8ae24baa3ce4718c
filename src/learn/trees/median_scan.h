// The cost of splitting a sorted node by absolute error. For every place to split it at, in linear
// time: start with all rows and delete them one by one, keeping the median. For few places, faster:
// count rows in blocks of their rank, and look for the median where it is asked for.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "numeric/matrix.h"

namespace reckon::learn {

class MedianScan {
 public:
  // `by_target`: the node's rows, by target ascending; `count` and `target` by row.
  void StartNode(std::span<const uint32_t> by_target, std::span<const uint32_t> count,
                 const numeric::Vector& target);

  // The median of the node's sample (half-way between two), and the sum of distances from it.
  double median() const { return median_; }
  double cost() const { return cost_; }

  // cost_below()[i], cost_above()[i]: sum of the distances of order[0..i) and of order[i..n) from
  // their medians. `order` holds the node's rows in any order.
  void Scan(std::span<const uint32_t> order);
  // The same for places that are asked for one after the other: `order` grows, each row once.
  void StartFewPlaces();
  void Append(uint32_t row) {
    const uint32_t rank = rank_[row];
    const Entry& entry = all_[rank];
    const double part = entry.weight * entry.target;
    taken_[rank] = entry.weight;
    Block& block = taken_blocks_[rank / kBlock];
    block.count += entry.weight;
    block.sum += part;
    taken_total_.count += entry.weight;
    taken_total_.sum += part;
  }
  // The costs of what was appended and of the rest, added up.
  double CostOfBoth() const;
  const std::vector<double>& cost_below() const { return below_; }
  const std::vector<double>& cost_above() const { return above_; }

 private:
  // One row of the node, at its rank by target + 1; 0 and size + 1 are the ends of the list.
  struct Entry {
    double target = 0;
    double weight = 0;
    uint32_t next = 0;
    uint32_t previous = 0;
  };
  // Sums over ranks that lie side by side.
  struct Block {
    double count = 0;
    double sum = 0;
  };
  static constexpr size_t kBlock = 16;
  // The middle of a list from which entries are deleted.
  struct Middle {
    uint32_t at = 0;       // a weighted median
    double count = 0;      // of what remains
    double sum = 0;        // count * target
    double low_count = 0;  // of the entries before `at`
    double low_sum = 0;
  };

  // `taken`: of the rows that were appended, otherwise of the rest.
  double CostOf(bool taken) const;
  static void Balance(const Entry* entries, Middle& middle);
  static void Delete(Entry* entries, uint32_t end, uint32_t deleted, Middle& middle);
  static double Cost(const Entry* entries, const Middle& middle);

  size_t size_ = 0;
  std::vector<uint32_t> rank_;  // by row
  std::vector<Entry> all_;
  std::vector<Entry> left_;  // of all_, while rows are deleted
  Middle middle_;            // of all_
  double median_ = 0;
  double cost_ = 0;
  std::vector<Block> all_blocks_;
  std::vector<double> taken_;  // weight by rank; 0: not appended
  std::vector<Block> taken_blocks_;
  Block taken_total_;
  std::vector<double> below_;
  std::vector<double> above_;
};

}  // namespace reckon::learn
