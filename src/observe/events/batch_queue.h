// Records that wait to be sent many to an event, within a bound.
#pragma once

#include <cstddef>
#include <deque>
#include <utility>
#include <vector>

namespace reckon::observe {

// `Batch` is made of a record and a time, and takes further ones with Add until it says false. When
// more than `most` records wait, the oldest batch goes. Not thread-safe.
template <typename Batch>
class BatchQueue {
 public:
  explicit BatchQueue(size_t most) : most_(most) {}

  template <typename Record>
  void Add(const Record& record, double at) {
    if (batches_.empty() || !batches_.back().Add(record, at)) batches_.emplace_back(record, at);
    ++records_;
    while (records_ > most_ && batches_.size() > 1) {
      records_ -= batches_.front().size();
      dropped_ += batches_.front().size();
      batches_.pop_front();
    }
  }

  bool empty() const { return batches_.empty(); }
  size_t dropped() const { return dropped_; }

  // The oldest.
  std::vector<Batch> Take(size_t most_batches) {
    std::vector<Batch> taken;
    while (taken.size() < most_batches && !batches_.empty()) {
      records_ -= batches_.front().size();
      taken.push_back(std::move(batches_.front()));
      batches_.pop_front();
    }
    return taken;
  }

 private:
  const size_t most_;
  std::deque<Batch> batches_;
  size_t records_ = 0;  // in batches_
  size_t dropped_ = 0;
};

}  // namespace reckon::observe
