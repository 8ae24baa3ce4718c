// Fits to parts of the rows, where less may vary than in the whole.
#pragma once

#include "learn/regressors/technique.h"

namespace reckon::learn {

// Technique::Fit; where no input varies among the rows, the mean is all they tell, whatever the
// technique. Such a mean is for comparing: it cannot be read back as the technique's model.
base::Result<std::vector<std::unique_ptr<Predictor>>> FitPart(const Technique& technique,
                                                              const FitInput& input,
                                                              const CandidateGroup& group);

}  // namespace reckon::learn
