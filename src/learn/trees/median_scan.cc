#include "learn/trees/median_scan.h"

namespace reckon::learn {

void MedianScan::StartNode(std::span<const uint32_t> by_target, std::span<const uint32_t> count,
                           const numeric::Vector& target) {
  size_ = by_target.size();
  if (rank_.size() < count.size()) rank_.resize(count.size());
  all_.assign(size_ + 2, {});
  middle_ = {.at = 1};
  for (uint32_t i = 0; i < size_ + 2; ++i) {
    all_[i].next = i + 1;
    all_[i].previous = i - 1;
  }
  all_blocks_.assign(all_.size() / kBlock + 1, {});
  for (uint32_t i = 0; i < size_; ++i) {
    const uint32_t row = by_target[i];
    Entry& entry = all_[i + 1];
    rank_[row] = i + 1;
    entry.weight = count[row];
    entry.target = target(row);
    middle_.count += entry.weight;
    middle_.sum += entry.weight * entry.target;
    all_blocks_[(i + 1) / kBlock].count += entry.weight;
    all_blocks_[(i + 1) / kBlock].sum += entry.weight * entry.target;
  }
  Balance(all_.data(), middle_);
  cost_ = Cost(all_.data(), middle_);
  // Exactly half of the sample lies on one side: half-way to there, as everybody's median is.
  const Entry& entry = all_[middle_.at];
  median_ = entry.target;
  if (2 * (middle_.low_count + entry.weight) == middle_.count) {
    median_ = (median_ + all_[entry.next].target) / 2;
  } else if (2 * middle_.low_count == middle_.count) {
    median_ = (median_ + all_[entry.previous].target) / 2;
  }
  below_.resize(size_ + 1);
  above_.resize(size_ + 1);
}

double MedianScan::Cost(const Entry* entries, const Middle& middle) {
  return middle.sum - 2 * middle.low_sum +
         entries[middle.at].target * (2 * middle.low_count - middle.count);
}

void MedianScan::Balance(const Entry* entries, Middle& middle) {
  while (2 * middle.low_count > middle.count) {
    middle.at = entries[middle.at].previous;
    const Entry& entry = entries[middle.at];
    middle.low_count -= entry.weight;
    middle.low_sum -= entry.weight * entry.target;
  }
  while (2 * (middle.low_count + entries[middle.at].weight) < middle.count) {
    const Entry& entry = entries[middle.at];
    middle.low_count += entry.weight;
    middle.low_sum += entry.weight * entry.target;
    middle.at = entry.next;
  }
}

void MedianScan::Delete(Entry* entries, uint32_t end, uint32_t deleted, Middle& middle) {
  const Entry entry = entries[deleted];
  entries[entry.previous].next = entry.next;
  entries[entry.next].previous = entry.previous;
  const double part = entry.weight * entry.target;
  middle.count -= entry.weight;
  middle.sum -= part;
  // Without branches: which side a row lies on cannot be guessed.
  const double low = deleted < middle.at ? 1 : 0;
  middle.low_count -= low * entry.weight;
  middle.low_sum -= low * part;
  if (deleted == middle.at) {
    middle.at = entry.next;
    if (middle.at == end) {  // it was the last: step back
      middle.at = entry.previous;
      middle.low_count -= entries[middle.at].weight;
      middle.low_sum -= entries[middle.at].weight * entries[middle.at].target;
    }
  }
  Balance(entries, middle);
}

void MedianScan::StartFewPlaces() {
  taken_.assign(all_.size(), 0);
  taken_blocks_.assign(all_blocks_.size(), {});
  taken_total_ = {};
}

double MedianScan::CostOfBoth() const { return CostOf(true) + CostOf(false); }

double MedianScan::CostOf(bool taken) const {
  const double count = taken ? taken_total_.count : middle_.count - taken_total_.count;
  const double sum = taken ? taken_total_.sum : middle_.sum - taken_total_.sum;
  Block low;  // of what lies before the median
  size_t b = 0;
  for (; b + 1 < all_blocks_.size(); ++b) {
    const Block& mine = taken_blocks_[b];
    const double here = taken ? mine.count : all_blocks_[b].count - mine.count;
    if (2 * (low.count + here) >= count) break;
    low.count += here;
    low.sum += taken ? mine.sum : all_blocks_[b].sum - mine.sum;
  }
  size_t rank = b * kBlock;
  for (; rank < size_; ++rank) {
    const double here = taken ? taken_[rank] : all_[rank].weight - taken_[rank];
    if (2 * (low.count + here) >= count && here > 0) break;
    low.count += here;
    low.sum += here * all_[rank].target;
  }
  return sum - 2 * low.sum + all_[rank].target * (2 * low.count - count);
}

void MedianScan::Scan(std::span<const uint32_t> order) {
  const auto end = static_cast<uint32_t>(size_ + 1);
  left_ = all_;
  Middle middle = middle_;
  above_[0] = cost_;
  for (size_t i = 0; i + 1 < size_; ++i) {
    Delete(left_.data(), end, rank_[order[i]], middle);
    above_[i + 1] = Cost(left_.data(), middle);
  }
  above_[size_] = 0;
  left_ = all_;
  middle = middle_;
  below_[size_] = cost_;
  for (size_t i = size_; i > 1; --i) {
    Delete(left_.data(), end, rank_[order[i - 1]], middle);
    below_[i - 1] = Cost(left_.data(), middle);
  }
  below_[0] = 0;
}

}  // namespace reckon::learn
