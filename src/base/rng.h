// The source of randomness, passed in. The same seed gives the same numbers on every machine and
// with every standard library, which std::distributions do not promise.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace reckon::base {

// xoshiro256++ (Blackman and Vigna 2019), seeded through splitmix64. Not thread-safe: give each
// piece of parallel work its own Fork, chosen by what the work is and not by who does it; then the
// result does not depend on the number of threads.
class Rng {
 public:
  explicit Rng(uint64_t seed);

  // An independent stream; depends on this generator's seed and `stream` alone, not on how many
  // numbers were drawn.
  Rng Fork(uint64_t stream) const;

  uint64_t NextBits();
  // Uniform in [0, 1).
  double Uniform();
  // Uniform in [0, bound), without modulo bias; bound > 0.
  uint64_t Below(uint64_t bound);
  // Standard normal.
  double Normal();

  template <typename T>
  void Shuffle(std::span<T> items) {
    for (size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[Below(i)]);
  }

  // 0..count-1 in random order.
  std::vector<size_t> Permutation(size_t count);

 private:
  uint64_t seed_;
  std::array<uint64_t, 4> state_{};
};

}  // namespace reckon::base
