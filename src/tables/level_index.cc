#include "tables/level_index.h"

#include <functional>
#include <limits>
#include <utility>

namespace reckon::tables {
namespace {

constexpr uint32_t kFree = std::numeric_limits<uint32_t>::max();
constexpr size_t kFirstSlots = 16;

}  // namespace

LevelIndex::LevelIndex() : slots_(kFirstSlots, Slot{0, kFree}) {}

uint32_t LevelIndex::CodeOf(std::string_view level) {
  if (last_ < levels_.size() && levels_[last_] == level) return last_;
  const auto hash = static_cast<uint32_t>(std::hash<std::string_view>{}(level));
  const size_t mask = slots_.size() - 1;
  for (size_t at = hash & mask; slots_[at].code != kFree; at = (at + 1) & mask) {
    if (slots_[at].hash == hash && levels_[slots_[at].code] == level) {
      return last_ = slots_[at].code;
    }
  }
  last_ = static_cast<uint32_t>(levels_.size());
  levels_.emplace_back(level);
  Place({hash, last_});
  if (levels_.size() * 2 > slots_.size()) Grow();
  return last_;
}

std::vector<std::string> LevelIndex::TakeLevels() && {
  slots_ = {};
  levels_.shrink_to_fit();
  return std::move(levels_);
}

void LevelIndex::Grow() {
  std::vector<Slot> old(slots_.size() * 2, Slot{0, kFree});
  slots_.swap(old);
  for (const Slot& slot : old) {
    if (slot.code != kFree) Place(slot);
  }
}

void LevelIndex::Place(Slot slot) {
  const size_t mask = slots_.size() - 1;
  size_t at = slot.hash & mask;
  while (slots_[at].code != kFree) at = (at + 1) & mask;
  slots_[at] = slot;
}

}  // namespace reckon::tables
