// Extra-P's text format.
#pragma once

#include <stop_token>
#include <string>
#include <string_view>

#include "base/result.h"
#include "core/table.h"

namespace reckon::tables {

// A keyword starts each line; a line that starts with '#' is a comment.
//   PARAMETER name...   may be repeated, before the first POINTS
//   POINTS point...     see ParsePoints; may be repeated
//   METRIC name         for the data that follows, until the next one
//   REGION name         likewise
//   DATA number...      the repetitions at one point; one line for each point, in their order,
//                       beginning anew behind each METRIC and REGION
// `name` is for messages. See ReadExtraP for the result.
base::Result<core::Table> ReadExtraPText(std::string_view text, const std::string& name,
                                         const std::stop_token& stop);

}  // namespace reckon::tables
