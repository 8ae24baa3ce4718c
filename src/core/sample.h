// Sample and SampleSet: measured outcomes as the store keeps them.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "base/clock.h"
#include "core/job.h"
#include "core/node.h"
#include "core/table.h"

namespace reckon::core {

// One measured outcome of a run of ours.
struct Sample {
  Job job;
  Shape shape;
  std::map<std::string, NodeState> node_states;  // by node name, at the start
  std::map<std::string, double> stage_time_s;    // "train_epoch" -> seconds
  int64_t bytes_sent = 0;
  int64_t bytes_received = 0;
};

// A named table of outcomes, imported or collected: what models are fitted to.
struct SampleSet {
  int64_t id = 0;
  std::string name;
  std::string source;       // the file it came from
  std::string fingerprint;  // of the content, see base/fingerprint.h
  base::WallTime imported_at;
  int64_t row_count = 0;
};

}  // namespace reckon::core
