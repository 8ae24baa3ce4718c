#include "observe/probes/memory_pace.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>

namespace reckon::observe {
namespace {

constexpr size_t kBytes = 4 << 20;  // more than one core's own caches, less than the shared one
constexpr size_t kLine = 64;
constexpr size_t kReadings = 15;

}  // namespace

MemoryPace::MemoryPace() : memory_(kBytes, 1) {}

double MemoryPace::ReadOnceUs() {
  const auto begin = std::chrono::steady_clock::now();
  const volatile unsigned char* bytes = memory_.data();
  unsigned sum = 0;
  for (size_t i = 0; i < memory_.size(); i += kLine) sum += bytes[i];
  memory_[sum % kLine] = 1;  // so that nobody finds the loop useless
  const auto passed = std::chrono::steady_clock::now() - begin;
  return std::chrono::duration<double, std::micro>(passed).count();
}

double MemoryPace::MeasureUs() {
  std::array<double, kReadings> readings{};
  ReadOnceUs();  // into the caches
  for (double& reading : readings) reading = ReadOnceUs();
  std::nth_element(readings.begin(), readings.begin() + kReadings / 2, readings.end());
  return readings[kReadings / 2];
}

}  // namespace reckon::observe
