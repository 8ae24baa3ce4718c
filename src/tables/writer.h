// Tables to delimited text.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "base/progress.h"
#include "base/result.h"
#include "core/table.h"
#include "tables/reader.h"
#include "tables/source.h"

namespace reckon::tables {

// A tab for names that end in ".tsv" (in any case), else a comma.
char DelimiterFor(const std::filesystem::path& path);

// Appends `cell`, in quotes when a reader could take it for something else: when it holds a quote,
// a line end, `delimiter` or another delimiter that a reader may guess, or has blanks at its ends.
void AppendCell(std::string& out, std::string_view cell, char delimiter);

// A header line and a line for every row: numbers as their shortest text that reads back the same,
// nothing for a missing cell.
std::string TableText(const core::Table& table, char delimiter);

// The same text into `file`, which is not committed.
base::Status AppendTable(const core::Table& table, char delimiter, base::AtomicFile& file);

// The same text with DelimiterFor(path) as a file that appears whole or not at all.
base::Status WriteTable(const core::Table& table, const std::filesystem::path& path);

// Appends to `line` one cell for every extra column, each with the delimiter before it; `row`
// counts from 0.
using AppendExtras = std::function<base::Status(size_t row, std::string& line)>;

// Columns to add to a copy.
struct Extras {
  std::vector<std::string> names;
  size_t row_count = 0;  // rows that the values are for
  AppendExtras append;
};

// Streams `input` once more and writes every column of it with the exact text of its cells, and
// the extra columns behind them. Does not commit `out`. kBadInput when the input has a column of an
// extra name already or is not a table; kUnavailable when it has not extras.row_count rows (any
// more); kInterrupted; or the error of extras.append.
base::Status CopyWithColumns(const Source& input, const ReadOptions& options, const Extras& extras,
                             char out_delimiter, base::AtomicFile& out, const std::stop_token& stop,
                             base::Progress& progress);

}  // namespace reckon::tables
