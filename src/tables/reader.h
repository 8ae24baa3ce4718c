// A table from delimited text: CSV, TSV and their kin, with a header line.
#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "base/progress.h"
#include "base/result.h"
#include "core/table.h"
#include "tables/source.h"

namespace reckon::tables {

struct ReadOptions {
  char delimiter = 0;                 // 0: what the header suggests, see DetectDelimiter
  std::vector<std::string> numeric;   // columns that must be numbers
  std::vector<std::string> category;  // columns that are categories even if their cells are numbers
};

// Passes over the source twice: once to learn what each column is, once to fill columns of exactly
// the right size. Beside the result it needs memory for one record only.
//
// A column is of numbers when every cell that is not missing is one. Missing are "", NA, N/A, null,
// NULL and None. Numbers, missing cells and names in the header may have blanks around them; the
// text of a category is taken as it stands.
//
// Errors, with file and line where there is one:
//   kBadInput      no text, no rows, a row of the wrong length, a column without a name or with
//                  another's, quotes that do not match, nan or inf or 1e999 among numbers, anything
//                  but a number in a column of options.numeric, a column in both options
//   kNotFound      options name a column that is not there
//   kUnavailable   the file changed between the passes
//   kInterrupted   `stop` was requested
base::Result<core::Table> ReadTable(const Source& source, const ReadOptions& options,
                                    const std::stop_token& stop, base::Progress& progress);

// The names of the columns, checked as ReadTable checks them.
base::Result<std::vector<std::string>> ReadHeader(const Source& source, const ReadOptions& options);

}  // namespace reckon::tables
