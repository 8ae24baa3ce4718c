#include "app/shared_progress.h"

#include <algorithm>

namespace reckon::app {
namespace {

constexpr uint64_t kUnits = 1000;  // a part

}  // namespace

SharedProgress::SharedProgress(base::Progress& shown, std::string_view what, size_t parts)
    : shown_(shown) {
  shown_.Begin(what, kUnits * parts);
}

SharedProgress::Part::~Part() { Show(kUnits); }

void SharedProgress::Part::Begin(std::string_view, uint64_t total) {
  total_ = std::max<uint64_t>(total, 1);
  begin_ = shown_;
  room_ = (kUnits - begin_) * 9 / 10;
  done_ = 0;
}

void SharedProgress::Part::Advance(uint64_t steps) {
  const uint64_t done = std::min(done_.fetch_add(steps) + steps, total_);
  Show(begin_ + room_ * done / total_);
}

void SharedProgress::Part::End() { Show(begin_ + room_); }

void SharedProgress::Part::Show(uint64_t units) {
  uint64_t before = shown_;
  while (before < units && !shown_.compare_exchange_weak(before, units)) {
  }
  if (before < units) whole_.shown_.Advance(units - before);
}

}  // namespace reckon::app
