// Errors as JSON, for every door to the use cases.
#pragma once

#include <string>

#include "base/result.h"

namespace reckon::app {

// {"error": {"code", "message", "chain"}} as a document.
std::string ErrorJson(const base::Error& error);

}  // namespace reckon::app
