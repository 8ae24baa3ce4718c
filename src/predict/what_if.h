// What-if questions: "workers=1..64", "batch=128,256", "gpu=k80" become a table of questions.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "core/table.h"
#include "learn/dataset.h"

namespace reckon::predict {

struct WhatIf {
  core::Table questions;           // one row a combination, the model's columns
  std::vector<std::string> notes;  // what was taken for columns not set, ranges thinned
  // Columns that nobody asked about and that had one value only in the training data.
  std::vector<std::string> granted;
  std::vector<size_t> varied;  // columns of `questions` that take more than one value
};

// Each setting is COLUMN=VALUES, VALUES one of
//   7           one value               1,2,4,8     a list (numbers or categories)
//   1..64       whole steps, thinned to at most 512 values with a note; two non-integers: 64
//               even steps
//   0..100:25   steps of 25             1..64*2     each twice the one before
// A value with a comma goes into double quotes. All combinations are asked, at most one million.
// Columns that are not set take their typical value of the training data. kBadInput, naming the
// setting: unknown column, the same column twice, not a number for a numeric column, an empty or
// backward range, too many combinations.
base::Result<WhatIf> BuildWhatIf(const learn::Schema& schema,
                                 const std::vector<std::string>& settings);

}  // namespace reckon::predict
