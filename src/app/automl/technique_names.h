// The techniques of aMLLibrary and their hyperparameters, with what they are called here.
#pragma once

#include <string>
#include <vector>

#include "app/automl/literal.h"
#include "base/result.h"
#include "learn/candidate.h"

namespace reckon::app {

// How a hyperparameter's value becomes a setting or a word of a candidate.
enum class Meaning {
  kRidgePenalty,  // of squares summed over rows, where ours is of their mean
  kLassoPenalty,  // in the target's unit, where ours is a share of its deviation
  kPositive,
  kNotNegative,
  kProbability,  // above 0 and below 1
  kCount,        // a whole number from 1 on
  kDepth,        // likewise; None and 0 are no limit
  kRows,         // a whole number of rows, or a share of them
  kFlag,
  kCriterion,
  kMaxFeatures,
  kKernel,
  kGamma,
  kNoEffect,  // known, and of no use here
};

struct KnownHyperparameter {
  const char* name;
  Meaning meaning;
  const char* ours;   // setting or word
  const char* usual;  // as a literal, for configurations that do not name it
};

struct KnownTechnique {
  const char* label;
  const char* ours;  // technique; empty: there is none like it
  std::vector<KnownHyperparameter> hyperparameters;
  // Settings in which candidates that share work may differ; "*" for all.
  std::vector<std::string> shared;

  const KnownHyperparameter* Find(const std::string& name) const;
};

const std::vector<KnownTechnique>& KnownAutomlTechniques();
// kBadInput, with the nearest name, when there is none.
base::Result<const KnownTechnique*> FindAutomlTechnique(const std::string& label);

// What the data must tell for penalties to mean the same.
struct PenaltyUnits {
  double rows = 1;
};

// Sets what `value` says. kBadInput when it is not what `known` takes; kUnavailable when it is
// right but we have nothing like it.
base::Status SetHyperparameter(const KnownHyperparameter& known, const Literal& value,
                               const PenaltyUnits& units, learn::Candidate& candidate);

}  // namespace reckon::app
