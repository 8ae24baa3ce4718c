// The first record of a table's text.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/result.h"
#include "tables/csv_scanner.h"
#include "tables/source.h"

namespace reckon::tables {

// Reads the header with `scanner`, which is at the start of `source`. Bad input when there is no
// text, or a name is empty or twice there.
base::Result<std::vector<std::string>> ScanHeader(const Source& source, CsvScanner& scanner);

// The message for the record at hand when it has not as many cells as the header.
base::Error RaggedRow(const Source& source, const CsvScanner& scanner, size_t expected);

// The message for a file that is not what it was in an earlier pass.
base::Error ChangedWhileRead(const Source& source);

}  // namespace reckon::tables
