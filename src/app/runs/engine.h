// Where runs take place: this machine, or a lab of it.
#pragma once

#include <string>
#include <vector>

#include "app/runs/launch_plan.h"
#include "base/result.h"

namespace reckon::app {

struct Engine {
  std::vector<PlannedPlace> places;
  std::string status_host = "127.0.0.1";  // where the places reach this machine
  double dilation = 1;                    // how many times slower time runs there
};

// What the name of an engine says.
struct EngineName {
  std::string lab;                 // empty: this machine
  std::vector<std::string> hosts;  // of the lab, in this order; none: all
};

// "local", "lab:NAME", or "lab:NAME/HOST,HOST" for some hosts of a lab in that order. kBadInput: no
// such engine.
base::Result<EngineName> ParseEngineName(const std::string& name);

// kBadInput: no such engine; kNotFound: no such lab or host; kFailed: a lab that would give wrong
// times.
base::Result<Engine> FindEngine(const std::string& name);

}  // namespace reckon::app
