// A whole job as JSON: how the store keeps it.
#pragma once

#include "base/json.h"
#include "core/job.h"

namespace reckon::app {

base::Json ToJson(const core::Job& job);

}  // namespace reckon::app
