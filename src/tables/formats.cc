#include "tables/formats.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "tables/adapters/adaptdl.h"
#include "tables/adapters/ernest.h"
#include "tables/adapters/extrap.h"
#include "tables/progress_scope.h"

namespace reckon::tables {
namespace {

constexpr std::array<std::pair<const char*, Format>, 4> kFormats{{
    {"samples", Format::kTable},
    {"ernest", Format::kErnest},
    {"extrap", Format::kExtraP},
    {"adaptdl", Format::kAdaptDl},
}};

base::Status CheckFixedColumns(std::string_view format, const ReadOptions& options) {
  if (options.delimiter == 0 && options.numeric.empty() && options.category.empty()) return {};
  return base::BadInput(fmt::format(
      "the format '{}' fixes its columns: neither their kinds nor a delimiter can be chosen",
      format));
}

}  // namespace

base::Result<Format> ParseFormat(std::string_view name) {
  std::vector<std::string> known;
  for (const auto& [known_name, format] : kFormats) {
    if (name == known_name) return format;
    known.emplace_back(known_name);
  }
  return base::BadInput(fmt::format("unknown format '{}'{}", name, base::SuggestFrom(name, known)));
}

namespace {

base::Result<core::Table> ReadUnchecked(Format format, const Source& source,
                                        const ReadOptions& options, const std::stop_token& stop,
                                        base::Progress& progress) {
  switch (format) {
    case Format::kTable:
      return ReadTable(source, options, stop, progress);
    case Format::kAdaptDl:
      return ReadAdaptDl(source, options, stop, progress);
    case Format::kErnest: {
      RECKON_TRY(CheckFixedColumns("ernest", options));
      const ProgressScope scope(progress, fmt::format("reading {}", source.name()), 0);
      return ReadErnest(source, stop);
    }
    case Format::kExtraP: {
      RECKON_TRY(CheckFixedColumns("extrap", options));
      const ProgressScope scope(progress, fmt::format("reading {}", source.name()), 0);
      return ReadExtraP(source, stop);
    }
  }
  RECKON_CHECK(false);
}

// Names and categories end up in model files and JSON, which are UTF-8.
base::Status CheckText(const Source& source, const core::Table& table) {
  for (const core::Column& column : table.columns) {
    if (!base::IsUtf8(column.name())) return NotUtf8(source, 1, "the name of a column");
    const std::vector<std::string>& levels = column.levels();
    const auto bad = std::find_if(levels.begin(), levels.end(),
                                  [](const std::string& level) { return !base::IsUtf8(level); });
    if (bad == levels.end()) continue;
    const auto code = static_cast<double>(bad - levels.begin());
    for (size_t row = 0; row < table.row_count; ++row) {
      if (column[row] != code) continue;
      return NotUtf8(source, row < table.lines.size() ? table.lines[row] : row + 1,
                     fmt::format("a cell of column '{}'", column.name()));
    }
  }
  return {};
}

}  // namespace

base::Result<core::Table> ReadAs(Format format, const Source& source, const ReadOptions& options,
                                 const std::stop_token& stop, base::Progress& progress) {
  RECKON_ASSIGN(core::Table table, ReadUnchecked(format, source, options, stop, progress));
  RECKON_TRY(CheckText(source, table));
  return table;
}

}  // namespace reckon::tables
