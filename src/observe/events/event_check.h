// Which events are well-formed: the kinds of docs/reporting.md, field by field.
#pragma once

#include <string>
#include <string_view>

#include "base/json.h"
#include "base/result.h"

namespace reckon::observe {

// Lower-case letters, digits and '_', at most 64, not empty: kinds and roles.
bool IsEventWord(std::string_view text);
inline constexpr std::string_view kEventWord = "a word of a-z, 0-9 and '_', at most 64 of them";

// kBadInput naming the field; `path` says which event it is.
base::Status CheckEvent(const base::Json& event, const std::string& path);

}  // namespace reckon::observe
