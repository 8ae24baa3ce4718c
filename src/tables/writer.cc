#include "tables/writer.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "base/text.h"
#include "tables/csv_scanner.h"
#include "tables/header.h"
#include "tables/progress_scope.h"

namespace reckon::tables {
namespace {

constexpr size_t kWrittenBetweenPolls = 4096;

bool IsBlank(char c) { return c == ' ' || c == '\t'; }

bool NeedsQuotes(std::string_view cell, char delimiter) {
  if (cell.empty()) return false;
  if (IsBlank(cell.front()) || IsBlank(cell.back())) return true;
  // At the start of a file these bytes would be taken for a byte order mark.
  if (cell.starts_with("\xEF\xBB\xBF")) return true;
  return std::any_of(cell.begin(), cell.end(), [delimiter](char c) {
    return c == delimiter || c == '"' || c == '\n' || c == '\r' || c == ',' || c == ';' ||
           c == '\t';
  });
}

// Appends `count` cells and the delimiters between them; cell(i) is the text of the i-th.
template <typename Cell>
void AppendCells(std::string& text, size_t count, const Cell& cell, char delimiter) {
  const size_t start = text.size();
  for (size_t i = 0; i < count; ++i) {
    if (i > 0) text += delimiter;
    AppendCell(text, cell(i), delimiter);
  }
  // A line with nothing on it is no row to a reader, so the only cell of a row shows itself.
  if (text.size() == start) text += "\"\"";
}

void AppendHeader(std::string& text, const core::Table& table, char delimiter) {
  const auto name = [&](size_t i) -> const std::string& { return table.columns[i].name(); };
  AppendCells(text, table.columns.size(), name, delimiter);
  text += '\n';
}

void AppendRow(std::string& text, const core::Table& table, size_t row, char delimiter) {
  const auto cell = [&](size_t i) { return table.columns[i].Text(row); };
  AppendCells(text, table.columns.size(), cell, delimiter);
  text += '\n';
}

}  // namespace

char DelimiterFor(const std::filesystem::path& path) {
  return base::ToLower(path.extension().string()) == ".tsv" ? '\t' : ',';
}

void AppendCell(std::string& out, std::string_view cell, char delimiter) {
  if (!NeedsQuotes(cell, delimiter)) {
    out += cell;
    return;
  }
  out += '"';
  for (const char c : cell) {
    if (c == '"') out += '"';
    out += c;
  }
  out += '"';
}

std::string TableText(const core::Table& table, char delimiter) {
  std::string text;
  AppendHeader(text, table, delimiter);
  for (size_t row = 0; row < table.row_count; ++row) AppendRow(text, table, row, delimiter);
  return text;
}

base::Status AppendTable(const core::Table& table, char delimiter, base::AtomicFile& file) {
  std::string line;
  AppendHeader(line, table, delimiter);
  RECKON_TRY(file.Append(line));
  for (size_t row = 0; row < table.row_count; ++row) {
    line.clear();
    AppendRow(line, table, row, delimiter);
    RECKON_TRY(file.Append(line));
  }
  return {};
}

base::Status WriteTable(const core::Table& table, const std::filesystem::path& path) {
  RECKON_ASSIGN(base::AtomicFile file, base::AtomicFile::Create(path));
  RECKON_TRY(AppendTable(table, DelimiterFor(path), file));
  return file.Commit();
}

base::Status CopyWithColumns(const Source& input, const ReadOptions& options, const Extras& extras,
                             char out_delimiter, base::AtomicFile& out, const std::stop_token& stop,
                             base::Progress& progress) {
  ProgressScope scope(progress, fmt::format("copying {}", input.name()), input.size());
  RECKON_ASSIGN(CsvScanner scanner, CsvScanner::Open(input, {.delimiter = options.delimiter}));
  RECKON_ASSIGN(const std::vector<std::string> names, ScanHeader(input, scanner));
  for (const std::string& extra : extras.names) {
    if (std::find(names.begin(), names.end(), extra) != names.end()) {
      return base::BadInput(fmt::format("{} already has a column '{}'", input.name(), extra));
    }
  }
  std::string line;
  const auto field = [&](size_t i) { return scanner.fields()[i]; };
  AppendCells(line, names.size(), field, out_delimiter);
  for (const std::string& extra : extras.names) {
    line += out_delimiter;
    AppendCell(line, extra, out_delimiter);
  }
  line += '\n';
  RECKON_TRY(out.Append(line));
  size_t row = 0;
  for (;; ++row) {
    if (row % kWrittenBetweenPolls == 0) {
      if (stop.stop_requested()) return base::Error(base::ErrorCode::kInterrupted, "interrupted");
      scope.MoveTo(scanner.consumed());
    }
    RECKON_ASSIGN(const bool any, scanner.Next());
    if (!any) break;
    if (scanner.fields().size() != names.size()) return RaggedRow(input, scanner, names.size());
    if (row >= extras.row_count) return ChangedWhileRead(input);
    line.clear();
    AppendCells(line, names.size(), field, out_delimiter);
    RECKON_TRY(extras.append(row, line));
    line += '\n';
    RECKON_TRY(out.Append(line));
  }
  if (row != extras.row_count) return ChangedWhileRead(input);
  scope.MoveTo(input.size());
  return {};
}

}  // namespace reckon::tables
