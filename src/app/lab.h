// reckon lab: makes, shows, disturbs and removes clusters of emulated hosts on this machine.
#pragma once

#include <string>
#include <vector>

#include "act/lab/lab.h"
#include "app/context.h"
#include "base/json.h"
#include "base/result.h"

namespace reckon::app {

struct LabRequest {
  std::string action;  // up, down, status, list, kill, cut or mend
  std::string lab;     // LAB.yaml, or, for all but up, the name of a lab
  std::string host;    // for kill, cut and mend
};

struct LabReport {
  std::vector<act::LabState> labs;    // that the action was about, as they are afterwards
  std::vector<std::string> warnings;  // what may keep a lab from telling the truth
  std::string done;                   // what happened, in a sentence; empty: the labs say it
};

// kBadInput for an unknown action or a bad file, kNotFound for a lab or host that is not there.
base::Result<LabReport> ManageLab(const LabRequest& request, const Context& context);

base::Json ToJson(const LabReport& report);

}  // namespace reckon::app
