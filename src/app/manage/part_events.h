// What the events of a part say about it.
#pragma once

#include "base/json.h"
#include "watch/managed_run.h"

namespace reckon::app {

// Adds what one event tells, in the order of the part's file.
void Fold(const base::Json& event, watch::Part& part);
// As before the first event; what agents and manager know stays.
void ForgetEvents(watch::Part& part);

}  // namespace reckon::app
