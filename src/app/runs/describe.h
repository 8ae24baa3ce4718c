// What a command of the user's tells of itself before it starts.
#pragma once

#include <map>
#include <stop_token>
#include <string>

#include "base/result.h"
#include "spec/job_file.h"

namespace reckon::app {

// Asks jobs' `describe` scripts; those that were asked the same before are not asked again.
class Describer {
 public:
  // Adds what the script prints to `file.job.known`; nothing without one. The script has the job's
  // folder and environment, and WORLD_SIZE. kBadInput with the place of `describe`: it failed,
  // takes more than a minute, prints no JSON object of numbers, or contradicts `known`.
  // kInterrupted.
  base::Status Describe(spec::JobFile& file, const std::stop_token& stop);

 private:
  std::map<std::string, std::map<std::string, double>> told_;  // by what the script depends on
};

}  // namespace reckon::app
