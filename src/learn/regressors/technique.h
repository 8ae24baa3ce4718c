// A Technique turns training data into a Predictor. To add one: write its header and source beside
// ridge.h, and name it in registry.cc; search, validation, model files and the command line then
// know it.
#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "base/rng.h"
#include "learn/candidate.h"
#include "learn/features/roles.h"
#include "learn/question.h"
#include "learn/regressors/formula.h"

namespace reckon::learn {

// A fitted technique. Immutable, so any number of threads may use it.
class Predictor {
 public:
  virtual ~Predictor() = default;

  // Predictions on the scale the predictor was fitted to; `x` has the columns of the Schema, with
  // unseen categories as -1.
  virtual Vector Predict(const Matrix& x) const = 0;
  // Predict, and how far the parts of the predictor disagree about each row (a standard deviation,
  // on the same scale); 0 for a predictor of one part.
  virtual Vector PredictWithSpread(const Matrix& x, Vector& spread) const {
    spread = Vector::Zero(x.rows());
    return Predict(x);
  }
  // The terms that inputs must be in the domain of.
  virtual const FeatureMap& features() const = 0;
  virtual Formula ToFormula() const = 0;
  virtual base::Json ToJson(const Schema& schema) const = 0;
};

// A penalty on the size of a law's parameters: lambda * sum |x| (l1) or lambda * sum x^2 (l2).
struct PenaltyChoice {
  enum class Kind { kL1, kL2 };
  Kind kind = Kind::kL2;
  std::optional<double> lambda;  // > 0; nullopt: searched
};

// What the user fixed; everything else is searched.
struct Restrictions {
  std::optional<FeatureOptions> features;
  std::optional<int> degree;
  std::optional<TermSelection> select;
  std::optional<TargetScale> scale;
  std::optional<PenaltyChoice> penalty;  // nullopt: none
};

// Which of the user's choices a technique can follow.
struct Follows {
  bool features = false;
  bool degree = false;
  bool select = false;
  bool penalty = false;
  bool extrinsic = false;
};

struct FitInput {
  const Dataset& data;
  const Roles& roles;
  base::Rng rng;
  Question question = {};
  // Fits with different seeds, where a technique has a seed: the best is taken, and it tells how
  // far the others are.
  size_t repeats = 1;
  std::stop_token stop = {};
};

// Stateless, so any number of threads may use it.
class Technique {
 public:
  virtual ~Technique() = default;
  virtual std::string_view name() const = 0;
  // One line for help texts.
  virtual std::string_view summary() const = 0;
  // What the data must have for Candidates to find any, for the message when it has not.
  virtual std::string_view requirement() const = 0;

  // Whether the search tries it for such a question without being told to; otherwise it is there
  // for those who name it.
  virtual bool TakesPart(const Question&) const { return true; }

  // A choice that none of the named techniques follows is refused instead of ignored.
  virtual Follows follows() const { return {}; }

  // The candidates worth trying on this data for this question; empty when the technique does not
  // apply (for instance, no column counts workers).
  virtual std::vector<CandidateGroup> Candidates(const Dataset& data, const Roles& roles,
                                                 const Question& question,
                                                 const Restrictions& restrictions) const = 0;

  // One predictor for each candidate of the group, in its order.
  virtual base::Result<std::vector<std::unique_ptr<Predictor>>> Fit(
      const FitInput& input, const CandidateGroup& group) const = 0;

  // kCorrupt when `json` is not what ToJson of this technique's predictor writes.
  virtual base::Result<std::unique_ptr<Predictor>> Load(const base::Json& json,
                                                        const Schema& schema) const = 0;
};

}  // namespace reckon::learn
