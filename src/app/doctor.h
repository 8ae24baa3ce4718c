// reckon doctor: what this machine can and cannot do, and what to install.
#pragma once

#include <string>
#include <vector>

#include "app/context.h"

namespace reckon::app {

enum class Health { kGood, kLimited, kBroken };

struct Finding {
  std::string subject;  // "store", "memory"
  Health health = Health::kGood;
  std::string state;   // what was found
  std::string advice;  // what it means and what to do; empty when all is well
};

struct DoctorReport {
  std::vector<Finding> findings;
  // Nothing is broken.
  bool healthy = true;
};

// Tries things out rather than asking whether they are there: writes beside the store, opens a
// scratch store in the same folder, reads the limits of the cgroup this process is in. Leaves
// nothing behind. Never fails; what fails is a finding.
DoctorReport Examine(const Context& context);

}  // namespace reckon::app
