#include "base/rng.h"

#include <bit>
#include <cmath>
#include <numbers>
#include <numeric>

#include "base/check.h"

namespace reckon::base {
namespace {

uint64_t SplitMix(uint64_t& state) {
  uint64_t z = (state += 0x9e3779b97f4a7c15ULL);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

}  // namespace

Rng::Rng(uint64_t seed) : seed_(seed) {
  uint64_t mix = seed;
  for (uint64_t& word : state_) word = SplitMix(mix);
}

Rng Rng::Fork(uint64_t stream) const {
  uint64_t mix = seed_;
  const uint64_t first = SplitMix(mix);
  mix = first ^ (stream + 0x632be59bd9b4e019ULL);
  return Rng(SplitMix(mix));
}

uint64_t Rng::NextBits() {
  const uint64_t result = std::rotl(state_[0] + state_[3], 23) + state_[0];
  const uint64_t t = state_[1] << 17;
  state_[2] ^= state_[0];
  state_[3] ^= state_[1];
  state_[1] ^= state_[2];
  state_[0] ^= state_[3];
  state_[2] ^= t;
  state_[3] = std::rotl(state_[3], 45);
  return result;
}

double Rng::Uniform() { return static_cast<double>(NextBits() >> 11) * 0x1.0p-53; }

uint64_t Rng::Below(uint64_t bound) {
  RECKON_CHECK(bound > 0);
  // Rejects the incomplete last block of the 64-bit range.
  const uint64_t limit = -bound % bound;
  for (;;) {
    const uint64_t bits = NextBits();
    if (bits >= limit) return bits % bound;
  }
}

double Rng::Normal() {
  // Box-Muller; 1 - Uniform() is in (0, 1], so the logarithm is finite.
  const double radius = std::sqrt(-2.0 * std::log(1.0 - Uniform()));
  return radius * std::cos(2.0 * std::numbers::pi * Uniform());
}

std::vector<size_t> Rng::Permutation(size_t count) {
  std::vector<size_t> order(count);
  std::iota(order.begin(), order.end(), size_t{0});
  Shuffle(std::span<size_t>(order));
  return order;
}

}  // namespace reckon::base
