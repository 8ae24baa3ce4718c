// A law of passes over data in steps, made of amounts that are known before a job is run:
//
//   t = images * (what an image takes) + steps * (what a step takes) + what is done once
//
// with images = size * epochs / workers for each worker and steps = images / batch. An image takes
// what is computed for it, on one thread or shared out among them; a step takes its start and the
// exchange of parameters between the workers; the first steps take memory for a batch, and open
// connections.
#pragma once

#include "learn/laws/law_library.h"

namespace reckon::learn {

// Whether each worker has a batch of its own or all share one ("shared" = 1), whether what grows
// with workers overlaps with the rest ("overlaps" = 1), and, for extrapolation, whether rows near
// the end count more ("recency").
std::vector<LawSettings> StepsVariants(const LawSource& source);

// Coefficients are not filled in; most of them end at 0. Needs workers, batch and size.
std::vector<LawTerm> StepsTerms(const LawSource& source, const LawSettings& settings);

}  // namespace reckon::learn
