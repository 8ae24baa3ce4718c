#include "tests/unit/store/support.h"

#include <bit>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <limits>

#include <fmt/format.h>

#include "base/check.h"

namespace reckon::store::testing {

using core::Column;
using core::NumberVector;

core::Table MakeTable(size_t rows) {
  const double missing = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> workers;
  std::vector<double> times;
  std::vector<double> codes;
  for (size_t i = 0; i < rows; ++i) {
    const auto x = static_cast<double>(i);
    workers.push_back(x);
    times.push_back(i % 7 == 3 ? missing : 1.0 / (x + 3));
    codes.push_back(static_cast<double>(i % 2));
  }
  core::Table table;
  table.source = "runs.csv";
  table.row_count = rows;
  table.columns.push_back(Column::Numbers("workers", NumberVector::Of(workers)));
  table.columns.push_back(Column::Numbers("epoch_s", NumberVector::Of(times)));
  table.columns.push_back(
      Column::Categories("machine", {"m5.large", "c5.large"}, NumberVector::Of(codes)));
  return table;
}

core::Table MakeHardTable() {
  using Limits = std::numeric_limits<double>;
  const double missing = Limits::quiet_NaN();
  const std::vector<double> hard{
      0.1,      -0.0,    Limits::max(), Limits::denorm_min(), Limits::min(),
      1e15 + 1, 1.0 / 3, -1e-300,       123456789012.0,       missing};
  core::Table table;
  table.source = "caf\xe9.csv";
  table.row_count = hard.size();
  table.columns.push_back(Column::Numbers("hard", NumberVector::Of(hard)));
  table.columns.push_back(Column::Numbers(
      "small", NumberVector::Of({-32767, 32767, 0, 1, 2, 3, 4, 5, missing, missing})));
  table.columns.push_back(Column::Numbers(
      "wide", NumberVector::Of({-2147483647, 2147483647, 0, 1, 2, 3, 4, 5, 6, 100000})));
  table.columns.push_back(
      Column::Numbers("none", NumberVector(NumberVector::Width::kInt16, hard.size())));
  table.columns.push_back(Column::Categories(
      "\"odd\", 'name'\n", {"z", "", "a\xff\x80", "never", std::string("n\0l", 3)},
      NumberVector::Of({0, 1, 2, missing, 4, 0, 0, 1, 2, 4})));
  table.columns.push_back(Column::Numbers("\xe9t\xe9", NumberVector::Of(hard)));
  return table;
}

std::string Difference(const core::Table& actual, const core::Table& expected) {
  if (actual.row_count != expected.row_count) {
    return fmt::format("{} rows instead of {}", actual.row_count, expected.row_count);
  }
  if (actual.Names() != expected.Names()) return "other names";
  for (size_t i = 0; i < expected.columns.size(); ++i) {
    const Column& a = actual.columns[i];
    const Column& e = expected.columns[i];
    if (a.kind() != e.kind()) return fmt::format("kind of '{}'", e.name());
    if (a.levels() != e.levels()) return fmt::format("levels of '{}'", e.name());
    if (a.size() != e.size()) return fmt::format("size of '{}'", e.name());
    for (size_t row = 0; row < e.size(); ++row) {
      const bool same = std::isnan(e[row])
                            ? std::isnan(a[row])
                            : std::bit_cast<uint64_t>(a[row]) == std::bit_cast<uint64_t>(e[row]);
      if (same) continue;
      return fmt::format("'{}', row {}: {} instead of {}", e.name(), row, a[row], e[row]);
    }
  }
  return "";
}

std::string Bytes(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace reckon::store::testing
