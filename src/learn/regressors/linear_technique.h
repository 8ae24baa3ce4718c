// What regressions on augmented features have in common.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "learn/regressors/feature_sets.h"
#include "learn/regressors/technique.h"
#include "numeric/ridge_path.h"

namespace reckon::learn {

// Candidates are feature sets x settings; all settings of a set are solved on the same terms. A
// technique says which settings, and solves.
class LinearTechnique : public Technique {
 public:
  std::string_view requirement() const override { return requirement_; }
  Follows follows() const override { return {.features = true, .degree = true, .select = true}; }
  std::vector<CandidateGroup> Candidates(const Dataset& data, const Roles& roles,
                                         const Question& question,
                                         const Restrictions& restrictions) const override;
  base::Result<std::vector<std::unique_ptr<Predictor>>> Fit(
      const FitInput& input, const CandidateGroup& group) const override;
  base::Result<std::unique_ptr<Predictor>> Load(const base::Json& json,
                                                const Schema& schema) const override;

 protected:
  using Settings = std::map<std::string, double>;
  using Solutions = std::vector<numeric::RidgePath::Solution>;

  // Beyond `most_terms`, products are not tried.
  explicit LinearTechnique(size_t most_terms);

 private:
  virtual std::vector<Settings> SettingsToTry() const = 0;
  // Whether the technique makes sense on this scale of the target when the user named none.
  virtual bool Suits(TargetScale) const { return true; }
  // One solution for each candidate, in their order.
  virtual base::Result<Solutions> Solve(const Matrix& terms, const Vector& target,
                                        const CandidateGroup& group) const = 0;

  size_t most_terms_;
  std::string requirement_;
};

}  // namespace reckon::learn
