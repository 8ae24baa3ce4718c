// What a predictor says of itself, as plain values that can be printed in any language.
#pragma once

#include <variant>
#include <vector>

#include "learn/features/term.h"
#include "learn/laws/law_inputs.h"
#include "learn/laws/scaling_law.h"
#include "numeric/power_sum.h"

namespace reckon::learn {

// intercept + sum of weight * term.
struct LinearFormula {
  double intercept = 0;
  std::vector<Term> terms;
  std::vector<double> weights;
};

// A node with `left` < 0 is a leaf; otherwise rows with term <= threshold go left.
struct TreeNode {
  int term = -1;
  double threshold = 0;
  int left = -1;
  int right = -1;
  double value = 0;  // mean of the training rows here
  int rows = 0;
};

struct TreeFormula {
  std::vector<Term> terms;
  std::vector<TreeNode> nodes;  // the root first
};

// base + the sum of the trees' values.
struct EnsembleFormula {
  std::vector<Term> terms;
  double base = 0;
  std::vector<std::vector<TreeNode>> trees;
};

// What corrects a law; 0 of both: nothing does.
struct CorrectionSize {
  size_t trees = 0;
  size_t centres = 0;  // of a Gaussian process
};

// log y = shared . levels + (1/p) log sum_k exp(p * weights_k . (1, scaling, levels when apart)),
// held within limits beyond the measured range, plus trees or a process for what it leaves over.
struct PowersFormula {
  LawInputs inputs;
  bool levels_apart = false;
  numeric::PowerSum law;
  bool limited = false;
  CorrectionSize correction;
};

// A law of the library, times what corrects it.
struct ScalingLawFormula : ScalingLaw {
  CorrectionSize correction;
};

// A weighted mean of models; their formulas are theirs (BlendPredictor::members).
struct BlendFormula {};

// (base + sum of factor * column^power + one constant for the level of each category)
//   * product of column^power + constant.
struct PowerLawFormula {
  struct Intrinsic {
    size_t column = 0;
    double factor = 0;
    double power = 0;
  };
  struct Levels {
    size_t column = 0;
    std::vector<double> constants;  // as many as the column has levels
    double other = 0;               // for a level never seen: the mean over the training rows
  };
  struct Extrinsic {
    size_t column = 0;
    double power = 0;
  };
  // Fits with other seeds: mean and standard deviation of every parameter, in the order of
  // LawParameters.
  struct Spread {
    size_t fits = 0;  // 0: it was fitted once
    std::vector<double> mean;
    std::vector<double> deviation;
  };
  double base = 0;
  std::vector<Intrinsic> intrinsic;
  std::vector<Levels> levels;
  std::vector<Extrinsic> extrinsic;
  double constant = 0;
  Spread spread;
};

// intercept + sum of weight * term + sum over centres of coefficient * shape(r^2), r^2 the sum over
// terms of (scale * (term - the centre's term))^2.
struct KernelFormula {
  enum class Shape {
    kGaussian,  // exp(-r^2)
    kMatern52,  // numeric::Matern52
  };
  LinearFormula line;
  Shape shape = Shape::kGaussian;
  std::vector<double> scale;         // of each term
  numeric::Matrix centres;           // terms x centres, each term times its scale
  std::vector<double> coefficients;  // of each centre
};

using Formula = std::variant<LinearFormula, TreeFormula, EnsembleFormula, PowersFormula,
                             PowerLawFormula, ScalingLawFormula, BlendFormula, KernelFormula>;

}  // namespace reckon::learn
