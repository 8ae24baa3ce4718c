#include "observe/stress/process_use.h"

#include <ctime>
#include <fstream>
#include <string>

#include <fmt/format.h>

namespace reckon::observe {

double CpuMeter::TotalS(std::span<const pid_t> processes) {
  for (const pid_t pid : processes) {
    clockid_t clock{};
    timespec used{};
    if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &used) != 0) continue;
    last_[pid] = static_cast<double>(used.tv_sec) + 1e-9 * static_cast<double>(used.tv_nsec);
  }
  double total = 0;
  for (const auto& [pid, seconds] : last_) total += seconds;
  return total;
}

uint64_t WrittenBytes(std::span<const pid_t> processes) {
  uint64_t total = 0;
  for (const pid_t pid : processes) {
    std::ifstream file(fmt::format("/proc/{}/io", pid));
    std::string name;
    uint64_t count = 0;
    while (file >> name >> count) {
      if (name == "write_bytes:") total += count;
    }
  }
  return total;
}

}  // namespace reckon::observe
