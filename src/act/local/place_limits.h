// What the cgroups of a place allow, watched over the life of a rank.
#pragma once

#include <map>
#include <string>

#include "act/place.h"

namespace reckon::act {

class PlaceLimits {
 public:
  // Remembers how it is now.
  explicit PlaceLimits(const Place& place);

  // Which limit of processor or memory is no longer as it was, in words; empty: none. What ran
  // under it did not run on the host that it was meant for.
  std::string Changed() const;
  // "host h0 ran out of its memory of 64 MB" when the kernel has killed for want of it since; else
  // empty.
  std::string OutOfMemory() const;

 private:
  Place place_;
  std::map<std::string, std::string> limits_;  // content by file
  uint64_t memory_kills_;
};

}  // namespace reckon::act
