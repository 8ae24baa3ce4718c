// Fits what corrects a law (learn/laws/law_correction.h).
#pragma once

#include <functional>
#include <optional>

#include "learn/laws/law_correction.h"
#include "learn/repeats.h"
#include "learn/trees/boosting.h"

namespace reckon::learn {

// A law as it is and with what may correct it: so many trees inside the range (0: none), fewer
// beyond it, and inside also a process, where one can be fitted. They share the law's fit.
CandidateGroup WithCorrections(const Candidate& law, const std::vector<double>& trees_inside,
                               const Dataset& data, const Question& question,
                               bool with_process = true);

// Corrections of one law, which differ in their kind and size: "trees" (0: none) and "process"
// among the settings of candidates. Trees are grown once, for the most of them that is asked for.
class CorrectionFit {
 public:
  // `log_time` is the law's; it and what `input` refers to outlive this.
  CorrectionFit(const FitInput& input, std::function<Vector(const Matrix&)> log_time)
      : input_(input), log_time_(std::move(log_time)) {}

  // Grows the trees of all candidates. kFailed when there are too many features.
  base::Status Prepare(const CandidateGroup& group);
  // None where the candidate asks for none, or where no process can be fitted: the law then stands
  // alone, and the rest of its group is not lost. kInterrupted.
  base::Result<LawCorrection> For(const Candidate& candidate) const;

 private:
  base::Result<std::shared_ptr<const Predictor>> FitSmooth() const;
  Vector LeftOver(const Configurations& rows) const;

  const FitInput& input_;
  std::function<Vector(const Matrix&)> log_time_;
  std::optional<FeatureMap> features_;
  Boosted boosted_;
};

}  // namespace reckon::learn
