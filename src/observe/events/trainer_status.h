// Progress in the shape that scripts for Kubeflow Trainer send: {"trainerStatus":
// {"progressPercentage": 45, "estimatedRemainingSeconds": 795, "metrics": [{"name": "loss",
// "value": "0.2"}]}}, or the same without "trainerStatus" around it.
#pragma once

#include <vector>

#include "base/clock.h"
#include "base/json.h"
#include "base/result.h"

namespace reckon::observe {

bool IsTrainerStatus(const base::Json& report);

// As `progress` and `metric` events of time `received`; the percentage is 0 to 100. Metrics may be
// text, which is how Kubernetes carries numbers; those that hold no finite number are left out,
// since that is no reason to lose the progress. kBadInput names the field.
base::Result<std::vector<base::Json>> TrainerStatusEvents(const base::Json& report,
                                                          base::WallTime received);

}  // namespace reckon::observe
