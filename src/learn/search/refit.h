// The same model from other rows.
#pragma once

#include "learn/search/fitted.h"

namespace reckon::learn {

// Fits the candidate of `model`, and for a blend those of its members with their weights, to
// `input`. Nothing is chosen anew.
base::Result<Fitted> Refit(const Fitted& model, const FitInput& input);

}  // namespace reckon::learn
