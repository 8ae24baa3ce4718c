// What the powers of a law mean to whoever buys the machines.
#pragma once

#include <string>
#include <vector>

#include "learn/model.h"

namespace reckon::predict {

// "time_s falls as workers^-0.74: 58 % of ideal at 8 workers": against a time that would fall as
// 1/workers from the smallest measured value to the largest. One line for each column that scales,
// and one for what does not. For a law of the library its coefficients by name, those that no
// measurement told, and what they mean. For models without powers of their own, the power that
// leads from the smallest measured value of each column to the largest, all else at its median.
std::vector<std::string> ScalingInWords(const learn::Model& model);

}  // namespace reckon::predict
