// Candidates as numbers: what a design measures distances and covers ranges by.
#pragma once

#include <vector>

#include "core/table.h"
#include "learn/dataset.h"
#include "learn/features/roles.h"

namespace reckon::decide {

// Inputs that vary, with empty cells filled (median, or a level of their own).
struct Space {
  learn::Dataset inputs;      // targets are 0
  learn::Matrix features;     // rows x terms: x, log x, 1/x and levels, each of deviation 1
  std::vector<size_t> group;  // input of each feature
  learn::Roles roles;         // guessed from the names of columns
};

Space MakeSpace(const core::Table& candidates);

}  // namespace reckon::decide
