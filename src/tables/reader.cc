#include "tables/reader.h"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "tables/column_fill.h"
#include "tables/column_scan.h"
#include "tables/csv_scanner.h"
#include "tables/header.h"
#include "tables/progress_scope.h"

namespace reckon::tables {
namespace {

using Wish = ColumnScan::Wish;

constexpr size_t kRowsBetweenPolls = 4096;

// What the first pass learns.
struct Layout {
  std::vector<std::string> names;
  std::vector<ColumnScan> columns;
  size_t row_count = 0;
};

// How both passes and their messages see the work.
struct Work {
  const Source& source;
  const ReadOptions& options;
  const std::stop_token& stop;
  ProgressScope& progress;

  base::Result<CsvScanner> Scanner() const {
    return CsvScanner::Open(source, {.delimiter = options.delimiter});
  }

  // After every row; `begun` is where the pass starts on the scale of progress.
  base::Status Poll(size_t row, const CsvScanner& scanner, uint64_t begun) const {
    if (row % kRowsBetweenPolls != 0) [[likely]]
      return {};
    if (stop.stop_requested()) return base::Error(base::ErrorCode::kInterrupted, "interrupted");
    progress.MoveTo(begun + scanner.consumed());
    return {};
  }
};

base::Result<std::vector<ColumnScan>> WishedColumns(const Work& work,
                                                    const std::vector<std::string>& names) {
  std::unordered_map<std::string_view, size_t> places;
  for (size_t i = 0; i < names.size(); ++i) places.emplace(names[i], i);
  std::vector<Wish> wishes(names.size(), Wish::kEither);
  const auto apply = [&](const std::vector<std::string>& chosen, Wish wish) -> base::Status {
    for (const std::string& name : chosen) {
      const auto place = places.find(name);
      if (place == places.end()) {
        return base::Error(base::ErrorCode::kNotFound,
                           fmt::format("{} has no column '{}'{}", work.source.name(), name,
                                       base::SuggestFrom(name, names)));
      }
      Wish& current = wishes[place->second];
      if (current != Wish::kEither && current != wish) {
        return base::BadInput(
            fmt::format("column '{}' cannot be both numeric and a category", name));
      }
      current = wish;
    }
    return {};
  };
  RECKON_TRY(apply(work.options.numeric, Wish::kNumber));
  RECKON_TRY(apply(work.options.category, Wish::kCategory));
  return std::vector<ColumnScan>(wishes.begin(), wishes.end());
}

base::Error DescribeOffence(const Work& work, const std::string& column,
                            const ColumnScan::Offence& offence) {
  std::string_view fault = "is not a number";
  if (offence.kind == CellKind::kNonFinite) {
    fault = "is not a finite number; leave the cell empty if the value is missing";
  } else if (offence.kind == CellKind::kOutOfRange) {
    fault = "is beyond the range of numbers";
  }
  return base::BadInput(fmt::format("{}, line {}, column '{}': '{}' {}", work.source.name(),
                                    offence.line, column, ShownCell(offence.cell), fault));
}

// The first cell of the file that its column cannot hold.
base::Status CheckOffences(const Work& work, const Layout& layout) {
  const ColumnScan::Offence* first = nullptr;
  size_t column = 0;
  for (size_t i = 0; i < layout.columns.size(); ++i) {
    const auto& offence = layout.columns[i].offence();
    if (offence && (first == nullptr || offence->line < first->line)) {
      first = &*offence;
      column = i;
    }
  }
  if (first == nullptr) return {};
  return DescribeOffence(work, layout.names[column], *first);
}

base::Result<Layout> FirstPass(const Work& work) {
  RECKON_ASSIGN(CsvScanner scanner, work.Scanner());
  Layout layout;
  RECKON_ASSIGN(layout.names, ScanHeader(work.source, scanner));
  RECKON_ASSIGN(layout.columns, WishedColumns(work, layout.names));
  const size_t column_count = layout.names.size();
  for (;;) {
    RECKON_TRY(work.Poll(layout.row_count, scanner, 0));
    RECKON_ASSIGN(const bool any, scanner.Next());
    if (!any) break;
    const auto fields = scanner.fields();
    if (fields.size() != column_count) return RaggedRow(work.source, scanner, column_count);
    for (size_t i = 0; i < column_count; ++i) layout.columns[i].Add(fields[i], scanner.line());
    ++layout.row_count;
  }
  if (layout.row_count == 0) {
    return base::BadInput(fmt::format("{} has a header but no rows; expected at least one below it",
                                      work.source.name()));
  }
  RECKON_TRY(CheckOffences(work, layout));
  return layout;
}

// Text that the first pass found good can only have been changed since.
base::Error SecondError(const Work& work, const base::Error& error) {
  return error.code() == base::ErrorCode::kBadInput ? ChangedWhileRead(work.source) : error;
}

base::Result<core::Table> SecondPass(const Work& work, Layout layout) {
  RECKON_ASSIGN(CsvScanner scanner, work.Scanner());
  const auto header = ScanHeader(work.source, scanner);
  if (!header.ok()) return SecondError(work, header.error());
  if (*header != layout.names) return ChangedWhileRead(work.source);
  std::vector<ColumnFill> fills;
  fills.reserve(layout.columns.size());
  for (const ColumnScan& column : layout.columns) {
    fills.emplace_back(column.kind(), column.width(), layout.row_count);
  }
  core::Table table;
  table.lines.resize(layout.row_count);
  const uint64_t begun = work.source.size();
  size_t row = 0;
  for (;; ++row) {
    RECKON_TRY(work.Poll(row, scanner, begun));
    const auto any = scanner.Next();
    if (!any.ok()) return SecondError(work, any.error());
    if (!*any) break;
    const auto fields = scanner.fields();
    bool fits = row < layout.row_count && fields.size() == fills.size();
    for (size_t i = 0; fits && i < fills.size(); ++i) fits = fills[i].Set(row, fields[i]);
    if (!fits) return ChangedWhileRead(work.source);
    table.lines[row] = static_cast<uint32_t>(scanner.line());
  }
  if (row != layout.row_count) return ChangedWhileRead(work.source);
  table.source = work.source.name();
  table.row_count = row;
  table.columns.reserve(fills.size());
  for (size_t i = 0; i < fills.size(); ++i) {
    table.columns.push_back(std::move(fills[i]).Finish(std::move(layout.names[i])));
  }
  work.progress.MoveTo(begun * 2);
  return table;
}

}  // namespace

base::Result<core::Table> ReadTable(const Source& source, const ReadOptions& options,
                                    const std::stop_token& stop, base::Progress& progress) {
  ProgressScope scope(progress, fmt::format("reading {}", source.name()), source.size() * 2);
  const Work work{source, options, stop, scope};
  RECKON_ASSIGN(Layout layout, FirstPass(work));
  return SecondPass(work, std::move(layout));
}

base::Result<std::vector<std::string>> ReadHeader(const Source& source,
                                                  const ReadOptions& options) {
  RECKON_ASSIGN(CsvScanner scanner, CsvScanner::Open(source, {.delimiter = options.delimiter}));
  return ScanHeader(source, scanner);
}

}  // namespace reckon::tables
