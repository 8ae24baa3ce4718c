// Numbers the distinct categories of a column in the order of their first appearance.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace reckon::tables {

// A hash table of numbers that point into the levels, so that each level is stored once: columns of
// identifiers have as many levels as rows. Not thread-safe.
class LevelIndex {
 public:
  LevelIndex();

  // The code of `level`, the next free one when it is new.
  uint32_t CodeOf(std::string_view level);
  size_t size() const { return levels_.size(); }
  // The levels by code; leaves the index empty and of no further use.
  std::vector<std::string> TakeLevels() &&;

 private:
  struct Slot {
    uint32_t hash;
    uint32_t code;
  };

  void Grow();
  void Place(Slot slot);

  std::vector<std::string> levels_;
  std::vector<Slot> slots_;  // a power of two, at most half full
  uint32_t last_ = 0;        // measurements of one kind mostly stand together
};

}  // namespace reckon::tables
