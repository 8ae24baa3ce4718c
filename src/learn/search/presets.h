// Lists of candidates to be tried exactly as they are, such as others have published.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "learn/candidate.h"
#include "learn/dataset.h"

namespace reckon::learn {

// Candidates to be tried exactly, the best by mean absolute percentage error on rows left out.
struct Preset {
  std::vector<CandidateGroup> groups;     // none is empty
  size_t folds = 5;                       // plain K-fold
  std::optional<double> holdout_share{};  // or one split that leaves out this share of the rows
};

std::vector<std::string> PresetNames();

// "ray-paper": Table II of the paper on training with Ray (819 candidates). kBadInput for an
// unknown name.
base::Result<Preset> FindPreset(const std::string& name, const Dataset& data);

}  // namespace reckon::learn
