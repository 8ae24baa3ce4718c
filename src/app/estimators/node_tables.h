// What Deep-Edge's estimators are fitted to, made from the rows of hosts that a campaign's runs
// have left.
#pragma once

#include <string>
#include <vector>

#include "core/table.h"

namespace reckon::app {

// One function to be learned for one type of nodes.
struct EstimatorData {
  std::string node_type;              // "nano"
  std::string function;               // "EstComputeTime"
  std::string name;                   // "compute_time", of models
  std::string target;                 // column of the table
  std::vector<std::string> measured;  // columns of the rows of hosts that the target is made from
  core::Table table;                  // inputs and target, none of it missing
  std::vector<size_t> runs;           // of every row of the table
};

// Of every type of nodes in `nodes` (a set NAME.nodes):
//   EstComputeTime  compute_per_sample_s of the state before, batch
//   EstUpdateTime   exchange_s of these and the number of workers, the servers' load
//   EstState        cpu_p95, memory_p95, gpu_p95 of the state before, batch, workers
//   EstExecTime     latency_s of the state while it was measured, with and without training; of
//                   each app where hosts have several
// Inputs that never change or that most rows lack are left out, rows that lack another input,
// functions with fewer than `least` rows or a target that never changes too. Rows of runs that say
// nothing (kBlemishes) are not used.
std::vector<EstimatorData> EstimatorTables(const core::Table& nodes, size_t least);

}  // namespace reckon::app
