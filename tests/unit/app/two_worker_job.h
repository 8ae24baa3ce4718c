// A job of the built-in trainer that several tests look at.
#pragma once

#include "core/job.h"

namespace reckon::app {

inline core::Job TwoWorkerJob() {
  core::Job job;
  job.name = "digits";
  job.workers = 2;
  job.trainer.emplace().batches = {8, 24};
  job.trainer->shards = {100, 300};
  job.trainer->knobs["kernel"] = "5";
  return job;
}

}  // namespace reckon::app
