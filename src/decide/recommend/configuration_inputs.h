// Configurations as numbers that beliefs about them are made of.
#pragma once

#include <optional>
#include <vector>

#include "core/table.h"
#include "numeric/matrix.h"

namespace reckon::decide {

using numeric::Matrix;
using numeric::Vector;

// A row a configuration.
struct ConfigurationInputs {
  // Logarithms of numbers (raw where they are not above 0), and a column for each level of a
  // category; each with mean 0.
  Matrix linear;
  // What is usual: time falls with machines and their processors, hardly with memory, and nobody
  // knows with what else.
  Vector usual_slope;
  Vector slope_deviation;
  // What is near: numbers with deviation 1, with those of all machines together, and levels.
  // Columns of one group belong together.
  Matrix nearness;
  std::vector<size_t> group;
  Vector size;                           // of the cluster: mean 0, deviation 1; 0 where unknown
  std::optional<Vector> log_all_memory;  // of all machines together
};

// Columns are known by their names: "nodes", "workers", "machines", "instances"; "vcpus", "cores";
// "memory_gib".
ConfigurationInputs InputsOfConfigurations(const core::Table& configurations);

}  // namespace reckon::decide
