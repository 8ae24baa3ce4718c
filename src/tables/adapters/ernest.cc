#include "tables/adapters/ernest.h"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "tables/adapters/lines.h"
#include "tables/adapters/stop_poll.h"
#include "tables/cell.h"

namespace reckon::tables {
namespace {

constexpr std::array<const char*, 3> kNames{"machines", "scale", "time_s"};
constexpr size_t kPositiveColumns = 2;

base::Status ParseLine(std::string_view line, std::array<double, 3>& numbers) {
  const auto cells = base::Split(line, ',');
  if (cells.size() != kNames.size()) {
    return base::BadInput(fmt::format(
        "{} cells, expected 3: machines, fraction of the input, seconds", cells.size()));
  }
  for (size_t i = 0; i < kNames.size(); ++i) {
    const std::string_view cell = base::Trim(cells[i]);
    const auto number = base::ParseNumber(cell);
    if (!number) {
      return base::BadInput(fmt::format("{} '{}' is not a number; a header line starts with '#'",
                                        kNames[i], ShownCell(cell)));
    }
    if (i < kPositiveColumns && *number <= 0) {
      return base::BadInput(fmt::format("{} must be above 0, not {}", kNames[i], cell));
    }
    numbers[i] = *number;
  }
  return {};
}

}  // namespace

base::Result<core::Table> ReadErnest(const Source& source, const std::stop_token& stop) {
  RECKON_ASSIGN(const std::string text, ReadText(source));
  std::array<std::vector<double>, kNames.size()> columns;
  core::Table table;
  table.source = source.name();
  StopPoll poll(stop);
  for (Lines lines(text); lines.Next();) {
    RECKON_TRY(poll.Check());
    const std::string_view line = base::Trim(lines.line());
    if (line.empty() || line.front() == '#') continue;
    std::array<double, kNames.size()> numbers{};
    const base::Status parsed = ParseLine(line, numbers);
    if (!parsed.ok()) {
      return base::BadInput(
          fmt::format("{}, line {}: {}", source.name(), lines.number(), parsed.error().message()));
    }
    for (size_t i = 0; i < numbers.size(); ++i) columns[i].push_back(numbers[i]);
    table.lines.push_back(static_cast<uint32_t>(lines.number()));
  }
  if (table.lines.empty()) return base::BadInput(fmt::format("{} has no rows", source.name()));
  table.row_count = table.lines.size();
  for (size_t i = 0; i < kNames.size(); ++i) {
    table.columns.push_back(core::Column::Numbers(kNames[i], core::NumberVector::Of(columns[i])));
  }
  return table;
}

}  // namespace reckon::tables
