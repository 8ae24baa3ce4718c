// Which candidates to blend, and how much of each.
#pragma once

#include <vector>

#include "learn/search/trials.h"

namespace reckon::learn {

struct BlendPart {
  size_t scored = 0;  // index into the scored candidates
  double weight = 0;
};

// For a question inside the range: greedy forward selection with replacement (Caruana et al. 2004)
// on the left-out rows. For extrapolation, where left-out rows are few and alike: twelve of the
// best of different groups, weighted by their scores; k of one technique weigh as much as sqrt(k).
// Weights add up to 1. `scored` is best first, not empty; targets must be above 0.
std::vector<BlendPart> ChooseBlend(const std::vector<Scored>& scored, const SelectionRows& rows,
                                   const Question& question);

// The blend's predictions for the left-out rows.
Vector BlendPredictions(const std::vector<Scored>& scored, const std::vector<BlendPart>& parts);
// How far the parts disagree about each of these rows: the weighted deviation of their logs.
Vector BlendSpread(const std::vector<Scored>& scored, const std::vector<BlendPart>& parts);

}  // namespace reckon::learn
