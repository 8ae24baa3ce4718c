// The file formats that measurements come in.
#pragma once

#include <stop_token>
#include <string_view>

#include "base/progress.h"
#include "base/result.h"
#include "core/table.h"
#include "tables/reader.h"
#include "tables/source.h"

namespace reckon::tables {

enum class Format {
  kTable,    // "samples": delimited text with a header
  kErnest,   // "ernest": machines, fraction of the input, seconds
  kExtraP,   // "extrap": Extra-P's text, JSON or JSON Lines, told apart by content
  kAdaptDl,  // "adaptdl": step times by placement
};

// Bad input for a name that is none of the above, with what was probably meant.
base::Result<Format> ParseFormat(std::string_view name);

// Reads `source` as `format`. The columns of Ernest and Extra-P are fixed: choosing kinds or a
// delimiter for them is bad input. Other errors are those of ReadTable and of the adapters.
base::Result<core::Table> ReadAs(Format format, const Source& source, const ReadOptions& options,
                                 const std::stop_token& stop, base::Progress& progress);

}  // namespace reckon::tables
