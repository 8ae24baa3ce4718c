// Extra-P's JSON and JSON Lines formats.
#pragma once

#include <stop_token>
#include <string>
#include <string_view>

#include "base/result.h"
#include "core/table.h"

namespace reckon::tables {

// One JSON document, in the newer form
//   {"parameters": [name...],
//    "measurements": {region: {metric: [{"point": [number...], "values": [number...]}...]}}}
// or the older one, where measurements refer to parameters, coordinates, callpaths and metrics by
// id; or JSON Lines, each {"params": {name: number}, "value": number or [number...]} with
// "callpath" and "metric" if it likes. Only rows of JSON Lines have lines. `name` is for messages.
// See ReadExtraP for the result.
base::Result<core::Table> ReadExtraPJson(std::string_view text, const std::string& name,
                                         const std::stop_token& stop);

}  // namespace reckon::tables
