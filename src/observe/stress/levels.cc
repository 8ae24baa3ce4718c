#include "observe/stress/levels.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"

namespace reckon::observe {
namespace {

constexpr double kCpuTolerance = 0.03;  // of the host's cores
constexpr double kMemoryTolerance = 0.03;
constexpr double kLeastMemoryTolerance = 8e6;  // programs are of about that size themselves
constexpr double kDiskTolerance = 0.1;
constexpr double kGpuTolerance = 0.03;
constexpr double kMegabyte = 1e6;

struct Column {
  std::string_view name;
  double wanted;
  double found;
  double tolerance;
  double unit;
  std::string_view unit_name;
};

std::vector<Column> ColumnsOf(const StressLevels& levels, const StressReading& reading) {
  const auto memory = static_cast<double>(levels.memory_bytes);
  std::vector<Column> columns{
      {"cpu", levels.cpu, reading.cpu, kCpuTolerance, 0.01, "%"},
      {"memory", memory, static_cast<double>(reading.memory_bytes),
       std::max(kMemoryTolerance * memory, kLeastMemoryTolerance), kMegabyte, "MB"},
      {"disk", levels.disk_bytes_per_s, reading.disk_bytes_per_s,
       kDiskTolerance * levels.disk_bytes_per_s, kMegabyte, "MB/s"},
      {"gpu", levels.gpu, reading.gpu, kGpuTolerance, 0.01, "%"}};
  std::erase_if(columns, [](const Column& column) { return column.wanted == 0; });
  return columns;
}

}  // namespace

std::string Missed(const StressLevels& levels, const StressReading& reading) {
  std::vector<std::string> parts;
  for (const Column& column : ColumnsOf(levels, reading)) {
    if (std::abs(column.found - column.wanted) <= column.tolerance) continue;
    parts.push_back(fmt::format("{0} {1:.1f} {3} instead of {2:.1f} {3}", column.name,
                                column.found / column.unit, column.wanted / column.unit,
                                column.unit_name));
  }
  return base::Join(parts, ", ");
}

std::string DescribeReading(const StressLevels& levels, const StressReading& reading) {
  std::vector<std::string> parts;
  for (const Column& column : ColumnsOf(levels, reading)) {
    parts.push_back(
        fmt::format("{} {:>7.1f} {}", column.name, column.found / column.unit, column.unit_name));
  }
  return base::Join(parts, "   ");
}

}  // namespace reckon::observe
