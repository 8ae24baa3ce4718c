// A stretch of progress that ends on every way out of a function.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/progress.h"

namespace reckon::tables {

// Reports how far a cursor has come. Not thread-safe.
class ProgressScope {
 public:
  ProgressScope(base::Progress& progress, std::string_view what, uint64_t total)
      : progress_(progress) {
    progress_.Begin(what, total);
  }
  ~ProgressScope() { progress_.End(); }
  ProgressScope(const ProgressScope&) = delete;
  ProgressScope& operator=(const ProgressScope&) = delete;

  // `position` steps of the total are done; never goes back.
  void MoveTo(uint64_t position) {
    if (position <= position_) return;
    progress_.Advance(position - position_);
    position_ = position;
  }

 private:
  base::Progress& progress_;
  uint64_t position_ = 0;
};

}  // namespace reckon::tables
