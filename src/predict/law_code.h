// Bodies of functions that compute laws.
#pragma once

#include <functional>

#include "learn/laws/powers_predictor.h"
#include "learn/regressors/scaling_law_predictor.h"
#include "predict/code_lines.h"

namespace reckon::predict {

// Writes the function of a predictor inside another one.
using WriteBody = std::function<void(const learn::Predictor&)>;

void WritePowers(const learn::PowersPredictor& predictor, CodeLines& lines, const WriteBody& body);
void WriteScalingLaw(const learn::ScalingLawPredictor& predictor, CodeLines& lines,
                     const WriteBody& body);

}  // namespace reckon::predict
