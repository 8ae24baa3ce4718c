// What every Store asks of names and documents, whatever technology keeps them.
#pragma once

#include <span>
#include <string_view>

#include "base/result.h"
#include "core/run.h"
#include "core/token.h"

namespace reckon::store {

bool IsUtf8(std::string_view text);

// Not empty, UTF-8, no control characters; `what` is the noun of the message ("model").
base::Status CheckName(std::string_view what, std::string_view name);

// Valid JSON, of any type or an object; `what` as above ("the job of a run").
base::Status CheckJson(std::string_view what, std::string_view text);
base::Status CheckJsonObject(std::string_view what, std::string_view text);

base::Status CheckEvent(const core::Event& event);
base::Status CheckEvents(std::span<const core::Event> events);
base::Status CheckNodes(std::span<const core::NodeRecord> nodes);
base::Status CheckToken(const core::Token& token);
// Whether nodes may join with it at `now`; kFailed with why not.
base::Status CheckVouches(const core::Token& token, base::WallTime now);

}  // namespace reckon::store
