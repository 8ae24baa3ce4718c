// What is known of a run before it starts: where it takes place, and what the built-in trainer can
// tell about itself.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/runs/engine.h"
#include "app/runs/seats.h"
#include "base/json.h"
#include "base/result.h"
#include "core/job.h"

namespace reckon::app {

// Where the run takes place, as its samples tell.
base::Json PlanOf(const std::string& engine_name, const Engine& engine, const core::Job& job);

struct TrainerNeeds {
  uint64_t memory_bytes = 0;  // of all workers and servers together
};

// Of a job with a trainer; what follows from it goes into `plan`. kBadInput: values that make no
// sense together, or a host whose memory is too small.
base::Result<TrainerNeeds> CheckTrainer(const core::Job& job,
                                        const std::vector<PlannedPlace>& places, base::Json& plan);

}  // namespace reckon::app
