// What runs beside the training, as processes on its hosts.
#pragma once

#include <filesystem>
#include <vector>

#include "act/launch.h"
#include "app/runs/seats.h"
#include "base/result.h"
#include "core/job.h"

namespace reckon::app {

// One process for each load and host, first in the order of the job, then of the seats. Levels of 0
// need none. `stress`: the program that holds levels. The job has passed CheckBackground.
std::vector<act::ProcessSpec> PlanBackground(const core::Job& job, const Seats& seats,
                                             const std::filesystem::path& stress, double dilation);

// kBadInput about "background.NAME.on": it names a host on which nobody of the job is.
base::Status CheckBackground(const core::Job& job, const Seats& seats);

}  // namespace reckon::app
