// JSON for files and for --json: nlohmann's ordered value, so that output keeps the order in which
// it was written and the same input gives the same bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "base/result.h"

namespace reckon::base {

using Json = nlohmann::ordered_json;

// `source` names the text in messages ("model.json"). Says line and column of a mistake. Nesting is
// limited, so that hostile text cannot exhaust the stack of whoever walks the value.
Result<Json> ParseJson(std::string_view text, std::string_view source);

// The whole number, not negative, under `key`; nullopt when there is none.
std::optional<uint64_t> WholeAt(const Json& object, const char* key);

// Indented by two, lists of plain values on one line; bytes that are no UTF-8 become U+FFFD; ends
// with a newline.
std::string DumpJson(const Json& value);

// On one line, for logs and database cells.
std::string DumpJsonLine(const Json& value);

}  // namespace reckon::base
