// A weighted mean of models, as the search makes it from its best candidates.
#pragma once

#include "learn/search/fitted.h"

namespace reckon::learn {

struct BlendMember {
  double weight = 0;  // the weights of a blend add up to 1
  Fitted fitted;
};

class BlendPredictor final : public Predictor {
 public:
  // The mean is of logs when `scale` is the log scale: members that disagree by a factor then count
  // alike in both directions.
  BlendPredictor(TargetScale scale, std::vector<BlendMember> members);
  static base::Result<std::unique_ptr<Predictor>> Load(const base::Json& json,
                                                       const Schema& schema);

  Vector Predict(const Matrix& x) const override;
  Vector PredictWithSpread(const Matrix& x, Vector& spread) const override;
  const FeatureMap& features() const override { return features_; }
  Formula ToFormula() const override;
  base::Json ToJson(const Schema& schema) const override;

  const std::vector<BlendMember>& members() const { return members_; }
  TargetScale scale() const { return scale_; }

 private:
  TargetScale scale_;
  std::vector<BlendMember> members_;
  FeatureMap features_;
};

// Has no candidates of its own; here so that blends can be loaded and named.
class BlendTechnique final : public Technique {
 public:
  std::string_view name() const override { return "blend"; }
  std::string_view summary() const override { return "a weighted mean of the best candidates"; }
  std::string_view requirement() const override { return "other techniques to blend"; }
  Follows follows() const override {
    return {.features = true, .degree = true, .select = true, .penalty = true, .extrinsic = true};
  }
  std::vector<CandidateGroup> Candidates(const Dataset&, const Roles&, const Question&,
                                         const Restrictions&) const override {
    return {};
  }
  base::Result<std::vector<std::unique_ptr<Predictor>>> Fit(
      const FitInput& input, const CandidateGroup& group) const override;
  base::Result<std::unique_ptr<Predictor>> Load(const base::Json& json,
                                                const Schema& schema) const override;
};

}  // namespace reckon::learn
