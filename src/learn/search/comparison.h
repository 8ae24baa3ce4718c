// The comparison of candidates on rows that they have not seen.
#pragma once

#include <stop_token>
#include <vector>

#include "base/progress.h"
#include "base/rng.h"
#include "learn/search/trials.h"

namespace reckon::learn {

struct ComparisonPlan {
  const Dataset& data;
  const Roles& roles;
  const Question& question;
  std::vector<Split> splits;
  // Whether candidates that are far behind after one split are spared the others.
  bool stop_hopeless = true;
  bool percentage = false;  // see SelectionRows
  base::Rng rng;
  size_t jobs = 1;
};

struct Comparison {
  std::vector<Trial> trials;
  SelectionRows rows;
  std::vector<Scored> scored;  // best first
};

// Fits every trial's candidates to the training part of each split and scores what they predict for
// its test part. The same seed gives the same outcome for any `jobs`. kFailed when no candidate
// could be fitted, kInterrupted on stop.
base::Result<Comparison> Compare(const ComparisonPlan& plan, std::vector<Trial> trials,
                                 const std::stop_token& stop, base::Progress& progress);

// A group further behind than this after its first split will not win: times the best group's
// score. The best group of each technique always goes on, so that every technique has a figure.
inline constexpr double kHopeless = 3;

}  // namespace reckon::learn
