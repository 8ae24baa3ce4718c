// Minima of smooth functions of a few variables.
#pragma once

#include <functional>

#include "numeric/matrix.h"

namespace reckon::numeric {

// The value at a point; sets the gradient. A value that is not finite marks a point as out of
// bounds.
using SmoothFunction = std::function<double(const Vector& at, Vector& gradient)>;

// Broyden-Fletcher-Goldfarb-Shanno (Nocedal and Wright 2006, algorithm 6.1) with bisection of
// steps; no variable moves by more than `reach` in one step. Ends after `most_steps` or when a step
// gains less than 1e-6 of the value. Returns the best point; `start` when it is out of bounds.
Vector Minimise(const SmoothFunction& function, const Vector& start, int most_steps, double reach);

}  // namespace reckon::numeric
