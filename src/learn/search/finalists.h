// The last step of a search: what won the comparison, fitted to all rows.
#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "base/progress.h"
#include "base/rng.h"
#include "learn/search/comparison.h"
#include "learn/search/contender.h"

namespace reckon::learn {

struct FinalPlan {
  const Dataset& data;  // all rows, of which the comparison may have seen a part
  const Roles& roles;
  const Question& question;
  bool blend = false;  // also a blend of the best candidates, where targets are above 0
  base::Rng rng;
  size_t repeats = 1;
  size_t jobs = 1;
};

struct Finalists {
  std::vector<Contender> contenders;  // the blend first, then by selection error
  std::vector<std::string> notes;     // techniques that could not be fitted to all rows
};

// The best candidate of each technique, and the blend. kFailed when none can be fitted to all rows,
// kInterrupted on stop.
base::Result<Finalists> FitFinalists(const Comparison& comparison, const FinalPlan& plan,
                                     const std::stop_token& stop, base::Progress& progress);

}  // namespace reckon::learn
