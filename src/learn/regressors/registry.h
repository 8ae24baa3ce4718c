// All techniques, in the order in which ties between them are broken.
#pragma once

#include <string>
#include <vector>

#include "learn/regressors/technique.h"

namespace reckon::learn {

const std::vector<const Technique*>& AllTechniques();

// Those that a search tries for this question when nobody names any.
std::vector<const Technique*> DefaultTechniques(const Question& question);

std::vector<std::string> TechniqueNames();

// kBadInput with the nearest name when there is none.
base::Result<const Technique*> FindTechnique(std::string_view name);

}  // namespace reckon::learn
