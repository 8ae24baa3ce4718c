// From the hyperparameters of a configuration to the candidates of a search.
#pragma once

#include <string>
#include <vector>

#include "app/automl/campaign.h"
#include "base/rng.h"
#include "learn/candidate.h"
#include "learn/dataset.h"

namespace reckon::app {

// A candidate in the words of the configuration.
struct NamedCandidate {
  learn::Candidate candidate;
  std::string label;            // "LRRidge"
  std::string hyperparameters;  // "alpha=0.1"
};

struct CandidateGrid {
  std::vector<NamedCandidate> candidates;
  std::vector<learn::CandidateGroup> groups;  // the same, those that share work together
  std::vector<std::string> warnings;

  // What the configuration calls a candidate of `groups`.
  const NamedCandidate& NameOf(const learn::Candidate& candidate) const;
  // And a technique of ours.
  std::string LabelOf(const std::string& technique) const;
};

// Every combination of the listed values; with Hyperopt, a combination that holds priors becomes as
// many candidates as there are evaluations, drawn from the priors. What a section does not name has
// its usual value. A technique or value that we have nothing like is left out with a warning;
// kBadInput when nothing is left, or when a value is wrong (naming its place).
base::Result<CandidateGrid> MakeCandidates(const Campaign& campaign,
                                           const learn::FeatureOptions& features,
                                           const learn::Dataset& data, base::Rng rng);

}  // namespace reckon::app
