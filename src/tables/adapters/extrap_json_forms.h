// The three shapes of Extra-P's JSON, each read into rows. Used by ReadExtraPJson alone, which says
// what they look like.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "tables/adapters/extrap_rows.h"
#include "tables/adapters/json_node.h"
#include "tables/adapters/stop_poll.h"

namespace reckon::tables {

// Appends the parameter that `node` names; bad input when CheckParameter says so.
base::Status AppendParameter(const JsonNode& node, std::vector<std::string>& parameters);

base::Status ReadNewerJson(const JsonNode& document, ExtraPRows& rows, StopPoll& poll);
base::Status ReadOlderJson(const JsonNode& document, ExtraPRows& rows, StopPoll& poll);
base::Status ReadJsonLine(const JsonNode& line, size_t number, ExtraPRows& rows);
base::Status ReadJsonLines(std::string_view text, const std::string& name, ExtraPRows& rows,
                           StopPoll& poll);

}  // namespace reckon::tables
