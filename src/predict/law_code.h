// Bodies of functions that compute laws.
#pragma once

#include <functional>

#include "learn/laws/powers_predictor.h"
#include "learn/laws/scaling_law.h"
#include "predict/code_lines.h"

namespace reckon::predict {

// `body` writes the function of a predictor inside this one.
void WritePowers(const learn::PowersPredictor& predictor, CodeLines& lines,
                 const std::function<void(const learn::Predictor&)>& body);
void WriteScalingLaw(const learn::ScalingLaw& law, CodeLines& lines);

}  // namespace reckon::predict
