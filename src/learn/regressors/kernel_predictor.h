// A straight line plus bumps around training rows: what support vectors and Gaussian processes
// fit.
#pragma once

#include "learn/regressors/technique.h"

namespace reckon::learn {

class KernelPredictor final : public Predictor {
 public:
  struct Parts {
    KernelFormula::Shape shape = KernelFormula::Shape::kGaussian;
    FeatureMap features;
    double intercept = 0;
    Vector weights;  // of the terms
    Vector scale;    // of the terms, before distances are taken
    Matrix centres;  // centres x inputs of the Schema: shorter in a file than their terms
    Vector coefficients;
  };

  // As many weights and scales as terms, as many coefficients as centres.
  explicit KernelPredictor(Parts parts);
  // kCorrupt when sizes do not fit or a centre is outside the domain of a term.
  static base::Result<std::unique_ptr<Predictor>> Load(const base::Json& json,
                                                       const Schema& schema);

  Vector Predict(const Matrix& x) const override;
  const FeatureMap& features() const override { return parts_.features; }
  Formula ToFormula() const override;
  base::Json ToJson(const Schema& schema) const override;
  size_t centre_count() const { return static_cast<size_t>(parts_.centres.rows()); }

 private:
  Parts parts_;
  Matrix scaled_centres_;  // terms x centres
};

}  // namespace reckon::learn
