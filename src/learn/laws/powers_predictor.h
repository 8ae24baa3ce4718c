// A fitted sum of power laws, with trees or a Gaussian process for what it leaves over.
#pragma once

#include <optional>

#include "learn/laws/law_correction.h"
#include "learn/laws/law_inputs.h"
#include "learn/regressors/technique.h"
#include "numeric/power_sum.h"

namespace reckon::learn {

// Keeps a law from running away beyond the measured range of one column: the change beyond its
// greatest measured value is limited by the law's own slope there.
struct GrowthLimit {
  size_t column = 0;
  double end = 0;  // the greatest measured value, > 0

  // Elasticities beyond the range: a law may go on falling, but no faster than this; it may grow by
  // this much more than it did at the end; where it still fell it does not turn up, for its growing
  // parts stay what they were at the end.
  static constexpr double kSteepestFall = -1.5;
  static constexpr double kExtraGrowth = 0.1;
  static constexpr double kStillFalls = -0.1;
  static constexpr double kSlopeStep = 0.8;  // the slope at the end is taken from here to the end
};

class PowersPredictor final : public Predictor {
 public:
  // `levels_apart`: levels weigh in every term, otherwise they scale the whole.
  struct Parts {
    LawInputs inputs;
    bool levels_apart = false;
    numeric::PowerSum law;
    std::optional<GrowthLimit> limit;
    LawCorrection correction;
  };

  explicit PowersPredictor(Parts parts);
  static base::Result<std::unique_ptr<Predictor>> Load(const base::Json& json,
                                                       const Schema& schema);

  // Log of the target.
  Vector Predict(const Matrix& x) const override;
  // Of the law alone.
  Vector PredictLaw(const Matrix& x) const;
  const FeatureMap& features() const override { return features_; }
  Formula ToFormula() const override;
  base::Json ToJson(const Schema& schema) const override;
  const Parts& parts() const { return parts_; }

 private:
  Vector Evaluate(const numeric::PowerSum& law, const Matrix& x) const;

  Parts parts_;
  numeric::PowerSum falling_;  // of laws with a limit
  FeatureMap features_;        // whose domain inputs must be in
};

// The law with those parts that grow along the limited column held at its end. `limit` is set.
numeric::PowerSum FallingLaw(const PowersPredictor::Parts& parts);

// The two matrices of a PowerSum for rows of inputs: a one and the scaling inputs (and the levels
// when they are apart), and the levels otherwise.
void PowerSumInputs(const LawInputs& inputs, bool levels_apart, const Matrix& x, Matrix& terms,
                    Matrix& shared);

}  // namespace reckon::learn
