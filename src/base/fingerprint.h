// Fingerprints of content: the same bytes give the same fingerprint everywhere. For "have I seen
// this data before", not for security.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace reckon::base {

// FNV-1a, 64 bits twice with different offsets: 128 bits, so that two different tables of a store
// do not meet by chance.
class Fingerprint {
 public:
  void Add(std::string_view bytes);
  // -0 counts as 0, and every NaN as the same one.
  void Add(double number);
  // 32 hexadecimal digits.
  std::string Hex() const;

 private:
  uint64_t low_ = 0xcbf29ce484222325ULL;
  uint64_t high_ = 0x84222325cbf29ce4ULL;
};

}  // namespace reckon::base
