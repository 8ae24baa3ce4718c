// Any bytes in any format: a table that keeps its promises, or an error. The first byte picks the
// format and the delimiter, the rest is the text.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "base/progress.h"
#include "core/table.h"
#include "tables/csv_scanner.h"
#include "tables/formats.h"
#include "tables/source.h"
#include "tables/writer.h"

namespace reckon::tables {
namespace {

void CheckTable(const core::Table& table) {
  RECKON_CHECK(table.row_count > 0);
  RECKON_CHECK(!table.columns.empty());
  RECKON_CHECK(table.lines.empty() || table.lines.size() == table.row_count);
  for (size_t i = 0; i < table.columns.size(); ++i) {
    const core::Column& column = table.columns[i];
    RECKON_CHECK(!column.name().empty());
    RECKON_CHECK(table.Find(column.name()) == i);
    RECKON_CHECK(column.size() == table.row_count);
    const bool is_number = column.kind() == core::ColumnKind::kNumber;
    RECKON_CHECK(!is_number || column.levels().empty());
    for (size_t row = 0; row < table.row_count; ++row) {
      const double cell = column[row];
      RECKON_CHECK(!std::isinf(cell));
      if (is_number || std::isnan(cell)) continue;
      RECKON_CHECK(cell >= 0 && cell < static_cast<double>(column.levels().size()));
      RECKON_CHECK(cell == std::trunc(cell));
    }
  }
}

// What was read from delimited text survives being written and read again.
void CheckRoundTrip(const core::Table& table) {
  ReadOptions options;
  for (const core::Column& column : table.columns) {
    if (column.kind() == core::ColumnKind::kCategory) options.category.push_back(column.name());
  }
  const Source source = Source::FromText(TableText(table, ','), "again");
  base::NoProgress progress;
  const auto again = ReadTable(source, options, std::stop_token(), progress);
  RECKON_CHECK(again.ok());
  RECKON_CHECK(again->row_count == table.row_count);
  RECKON_CHECK(again->Names() == table.Names());
  for (size_t i = 0; i < table.columns.size(); ++i) {
    RECKON_CHECK(again->columns[i].kind() == table.columns[i].kind());
    for (size_t row = 0; row < table.row_count; ++row) {
      RECKON_CHECK(again->columns[i].Text(row) == table.columns[i].Text(row));
    }
  }
}

// The records of a text as one string, or the error.
std::string Scanned(const Source& source, size_t buffer_bytes) {
  auto scanner = CsvScanner::Open(source, {.buffer_bytes = buffer_bytes});
  if (!scanner.ok()) return scanner.error().Describe();
  std::string text;
  for (;;) {
    const auto any = scanner->Next();
    if (!any.ok()) return text + any.error().Describe();
    if (!*any) return text;
    text += std::to_string(scanner->line());
    for (const std::string_view field : scanner->fields()) {
      text += '\0';
      text += field;
    }
    text += '\n';
  }
}

void Run(uint8_t choice, std::string text) {
  constexpr std::string_view kDelimiters(",;\t\0\"|", 6);
  const auto format = static_cast<Format>(choice % 4);
  const bool is_text = format == Format::kTable || format == Format::kAdaptDl;
  ReadOptions options;
  if (is_text) options.delimiter = kDelimiters[(choice / 4) % kDelimiters.size()];
  const Source source = Source::FromText(std::move(text), "fuzz");
  base::NoProgress progress;
  const auto table = ReadAs(format, source, options, std::stop_token(), progress);
  if (table.ok()) {
    CheckTable(*table);
    if (is_text) CheckRoundTrip(*table);
  } else {
    RECKON_CHECK(table.error().code() == base::ErrorCode::kBadInput);
    RECKON_CHECK(!table.error().Describe().empty());
  }
  if (format == Format::kTable) RECKON_CHECK(Scanned(source, 3) == Scanned(source, 1 << 16));
}

}  // namespace
}  // namespace reckon::tables

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  reckon::tables::Run(data[0], std::string(reinterpret_cast<const char*>(data) + 1, size - 1));
  return 0;
}
