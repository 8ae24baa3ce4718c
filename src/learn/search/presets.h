// Lists of candidates that others have published, to be tried exactly as they are.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "learn/candidate.h"
#include "learn/dataset.h"

namespace reckon::learn {

struct Preset {
  std::vector<CandidateGroup> groups;
  size_t folds = 5;  // plain K-fold, the best by mean absolute percentage error
};

std::vector<std::string> PresetNames();

// "ray-paper": Table II of the paper on training with Ray (819 candidates). kBadInput for an
// unknown name.
base::Result<Preset> FindPreset(const std::string& name, const Dataset& data);

}  // namespace reckon::learn
