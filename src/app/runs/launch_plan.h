// From a job and places to the processes that carry it out.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "act/launch.h"
#include "app/runs/seats.h"
#include "base/result.h"
#include "core/job.h"

namespace reckon::app {

// The programs of ours that runs need; beside this one.
struct Programs {
  std::filesystem::path supervise;
  std::filesystem::path worker;
  std::filesystem::path server;
  std::filesystem::path stress;
};

// kNotFound names the one that is missing.
base::Result<Programs> FindPrograms();

struct LaunchRequest {
  const core::Job& job;
  int64_t run_id = 0;
  std::filesystem::path folder;  // the run's
  std::vector<PlannedPlace> places;
  std::string status_host = "127.0.0.1";
  std::string store;  // StorePlace::ForPrograms
  Programs programs;
  double dilation = 1;
  // The places are other machines, where nobody of ours can look for free ports; which attempt of
  // the run it is there (0: they are this one).
  int64_t elsewhere = 0;
};

// Every rank with the environment that programs of its kind look for: PyTorch's, TensorFlow's,
// ps-lite's and ours (docs/job-file.md). kUnavailable: no free port.
base::Result<act::LaunchSpec> PlanLaunch(const LaunchRequest& request);

}  // namespace reckon::app
