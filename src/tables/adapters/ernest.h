// Measurements as Ernest's predictor reads them (Venkataraman et al., NSDI 2016).
#pragma once

#include <stop_token>

#include "base/result.h"
#include "core/table.h"
#include "tables/source.h"

namespace reckon::tables {

// Lines "machines,fraction of the input,seconds" without a header; a line that starts with '#' is a
// comment, and Ernest's own files begin with one. Columns: machines, scale, time_s. Machines and
// scale are above 0. Bad input names the line; kInterrupted when `stop` was requested.
base::Result<core::Table> ReadErnest(const Source& source, const std::stop_token& stop);

}  // namespace reckon::tables
