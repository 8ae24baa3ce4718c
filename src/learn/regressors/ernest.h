// Ernest's law by non-negative least squares.
#pragma once

#include "learn/regressors/technique.h"

namespace reckon::learn {

// t = a + b s/m + c m + d ln m with non-negative a..d (Venkataraman et al., NSDI 2016), m the
// workers and s the size of the data (1 when no column has it): a fixed part, a part that is
// divided among the workers, one that grows with each worker, one that grows with the depth of a
// reduction tree. With categories, each level may add its own four terms ("levels" = 1). Rows count
// by absolute or by relative error ("relative" = 1). Applies when a column counts workers.
class ErnestTechnique final : public Technique {
 public:
  std::string_view name() const override { return "ernest"; }
  std::string_view summary() const override {
    return "Ernest's law a + b s/m + c m + d log m, by non-negative least squares";
  }
  std::string_view requirement() const override {
    return "a positive numeric column that counts workers (name it with --workers), and the linear "
           "scale";
  }
  std::vector<CandidateGroup> Candidates(const Dataset& data, const Roles& roles,
                                         const Question& question,
                                         const Restrictions& restrictions) const override;
  base::Result<std::vector<std::unique_ptr<Predictor>>> Fit(
      const FitInput& input, const CandidateGroup& group) const override;
  base::Result<std::unique_ptr<Predictor>> Load(const base::Json& json,
                                                const Schema& schema) const override;
};

}  // namespace reckon::learn
