// A technique for each law of the library (learn/laws/law_library.h).
#pragma once

#include "learn/laws/law_library.h"
#include "learn/regressors/technique.h"

namespace reckon::learn {

// Fits one law on relative errors, with a factor for each level of a category and a power for each
// number that the law has no place for. Types of machines share the law's shape, scaled by their
// factor (Sia's ratio, Jayaram Subramanya et al., SOSP 2023); with "apart" = 1, those measured with
// at least three counts of workers have their own factor of the exchange besides. Other settings
// are ways to read the columns. A law that is `corrected` is also tried with "trees" or a "process"
// for what it leaves over. Applies when the columns of the law are there and vary.
class ScalingLawTechnique final : public Technique {
 public:
  // `law` outlives the technique.
  explicit ScalingLawTechnique(const LawDescription& law) : law_(law) {}

  std::string_view name() const override { return law_.name; }
  std::string_view summary() const override { return law_.summary; }
  std::string_view requirement() const override { return law_.requirement; }
  bool TakesPart(const Question& question) const override {
    return law_.by_default && (law_.inside_too || question.extrapolate.has_value());
  }
  std::vector<CandidateGroup> Candidates(const Dataset& data, const Roles& roles,
                                         const Question& question,
                                         const Restrictions& restrictions) const override;
  base::Result<std::vector<std::unique_ptr<Predictor>>> Fit(
      const FitInput& input, const CandidateGroup& group) const override;
  base::Result<std::unique_ptr<Predictor>> Load(const base::Json& json,
                                                const Schema& schema) const override;

 private:
  const LawDescription& law_;
};

// One for each law, in the order of the library.
std::vector<ScalingLawTechnique> ScalingLawTechniques();

}  // namespace reckon::learn
