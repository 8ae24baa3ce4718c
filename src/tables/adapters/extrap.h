// Measurements in the formats of Extra-P (Calotoiu et al., SC 2013).
#pragma once

#include <stop_token>

#include "base/result.h"
#include "core/table.h"
#include "tables/source.h"

namespace reckon::tables {

// Text, JSON or JSON Lines, told apart by content: text that starts with '{' is JSON when it is one
// document, else JSON Lines. The result has a column for every parameter, then region and metric
// (categories; "main" and "time" when the file names none) and value, and a row for every
// repetition. Bad input names the line, or the place inside a JSON document; kInterrupted when
// `stop` was requested.
base::Result<core::Table> ReadExtraP(const Source& source, const std::stop_token& stop);

}  // namespace reckon::tables
