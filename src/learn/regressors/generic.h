// The generic law, by differential evolution.
#pragma once

#include "learn/regressors/technique.h"

namespace reckon::learn {

// t = (sum of a_i I_i^p_i + one constant for the level of each category) * product of E_j^q_j + C
// (Kavarakuntla et al., IEEE Access 12, 2024): what is computed (I) adds up, what it is spread over
// (E, Roles::extrinsic) scales it. Constants lie in 0..1000 (see LawLimit), powers in -5..5; the
// cost is the mean absolute error, plus a penalty where one is asked for ("l1" or "l2" = lambda).
class GenericTechnique final : public Technique {
 public:
  std::string_view name() const override { return "generic"; }
  std::string_view summary() const override {
    return "generic law (sum of a x^p + levels) * product of resources^q + c, by differential "
           "evolution";
  }
  std::string_view requirement() const override {
    return "numeric columns and a target above 0 (--ignore leaves columns out), more rows than "
           "parameters, and the linear scale";
  }
  Follows follows() const override { return {.penalty = true, .extrinsic = true}; }
  std::vector<CandidateGroup> Candidates(const Dataset& data, const Roles& roles,
                                         const Question& question,
                                         const Restrictions& restrictions) const override;
  base::Result<std::vector<std::unique_ptr<Predictor>>> Fit(
      const FitInput& input, const CandidateGroup& group) const override;
  base::Result<std::unique_ptr<Predictor>> Load(const base::Json& json,
                                                const Schema& schema) const override;
};

// "l1", "l2", "l2=0.001"; "none" and "" are no penalty.
base::Result<std::optional<PenaltyChoice>> ParsePenalty(const std::string& text);

}  // namespace reckon::learn
