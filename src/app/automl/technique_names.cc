#include "app/automl/technique_names.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/text.h"

namespace reckon::app {
namespace {

using Kind = Literal::Kind;

constexpr double kNoLimit = 1000;  // deeper than any tree grows

base::Error Expected(std::string_view what, const Literal& value) {
  return base::BadInput(fmt::format("expected {}, found {}", what, LiteralText(value)));
}

base::Error Unavailable(const Literal& value) {
  return base::Error(base::ErrorCode::kUnavailable,
                     fmt::format("{} is not available", LiteralText(value)));
}

base::Result<double> Number(const Literal& value, double least, bool above, std::string_view what) {
  const bool good = value.IsNumber() && (above ? value.number > least : value.number >= least);
  if (!good) return Expected(what, value);
  return value.number;
}

base::Result<double> Count(const Literal& value) {
  const bool whole = value.IsNumber() && value.number == std::floor(value.number);
  if (!whole || value.number < 1 || value.number > 1e6) {
    return Expected("a whole number from 1 to 1000000", value);
  }
  return value.number;
}

base::Result<double> Depth(const Literal& value) {
  const bool none = value.kind == Kind::kNone || (value.IsNumber() && value.number == 0);
  if (none) return kNoLimit;
  RECKON_ASSIGN(const double depth, Count(value));
  return std::min(depth, kNoLimit);
}

base::Result<double> Rows(const Literal& value) {
  if (value.kind == Kind::kWhole && value.number >= 1) return value.number;
  // All rows: settings from 1 on count rows.
  if (value.kind == Kind::kReal && value.number == 1) return std::nextafter(1.0, 0.0);
  if (value.kind == Kind::kReal && value.number > 0 && value.number < 1) return value.number;
  return Expected("a whole number of rows, or a share of them between 0 and 1", value);
}

base::Result<double> Flag(const Literal& value) {
  if (value.kind == Kind::kTruth) return value.truth ? 1.0 : 0.0;
  return Expected("True or False", value);
}

base::Result<std::string> Criterion(const Literal& value) {
  const std::string& word = value.text;
  if (word == "mse" || word == "squared_error") return std::string("mse");
  if (word == "mae" || word == "absolute_error") return std::string("mae");
  if (word == "friedman_mse") return word;
  if (word == "poisson") return Unavailable(value);
  return Expected("'mse', 'friedman_mse' or 'mae'", value);
}

base::Result<std::string> MaxFeatures(const Literal& value) {
  const std::string& word = value.text;
  if (word == "sqrt" || word == "log2") return word;
  const bool share_of_all = value.kind == Kind::kReal && value.number == 1;
  if (word == "auto" || value.kind == Kind::kNone || share_of_all) return std::string("all");
  if (value.IsNumber() && value.number > 0) return Unavailable(value);
  return Expected("'auto', 'sqrt' or 'log2'", value);
}

base::Status SetKernel(const Literal& value, learn::Candidate& candidate) {
  const std::string& word = value.text;
  if (word == "poly" || word == "sigmoid") return Unavailable(value);
  if (word != "rbf" && word != "linear") return Expected("'rbf' or 'linear'", value);
  candidate.settings["gaussian"] = word == "rbf" ? 1 : 0;
  return {};
}

base::Status SetGamma(const Literal& value, learn::Candidate& candidate) {
  // Both words mean the same on standardised terms.
  if (value.text == "scale" || value.text == "auto") {
    candidate.settings["gamma_scale"] = 1;
    return {};
  }
  RECKON_ASSIGN(candidate.settings["gamma"],
                Number(value, 0, true, "a number above 0, 'scale' or 'auto'"));
  return {};
}

}  // namespace

const KnownHyperparameter* KnownTechnique::Find(const std::string& name) const {
  const auto at = std::find_if(hyperparameters.begin(), hyperparameters.end(),
                               [&](const KnownHyperparameter& one) { return one.name == name; });
  return at == hyperparameters.end() ? nullptr : &*at;
}

const std::vector<KnownTechnique>& KnownAutomlTechniques() {
  using M = Meaning;
  // The usual values are those that aMLLibrary takes for what a configuration does not name.
  static const std::vector<KnownTechnique> kAll{
      {"LRRidge", "ridge", {{"alpha", M::kRidgePenalty, "alpha", "0.1"}}, {"alpha"}},
      {"LRLasso", "lasso", {{"alpha", M::kLassoPenalty, "alpha", "0.1"}}, {"alpha"}},
      {"XGBoost",
       "xgboost",
       {{"learning_rate", M::kPositive, "rate", "0.1"},
        {"max_depth", M::kDepth, "max_depth", "100"},
        {"gamma", M::kNotNegative, "gamma", "0.25"},
        {"min_child_weight", M::kNotNegative, "min_child_weight", "1"},
        {"n_estimators", M::kCount, "trees", "500"},
        {"reg_lambda", M::kNotNegative, "lambda", "1"}},
       {"trees"}},
      {"DecisionTree",
       "tree",
       {{"criterion", M::kCriterion, "criterion", "'mse'"},
        {"max_depth", M::kDepth, "max_depth", "3"},
        {"max_features", M::kMaxFeatures, "max_features", "'auto'"},
        {"min_samples_split", M::kRows, "min_split", "0.01"},
        {"min_samples_leaf", M::kRows, "min_leaf", "0.01"}},
       {"max_depth", "min_split"}},
      {"RandomForest",
       "forest",
       {{"n_estimators", M::kCount, "trees", "5"},
        {"criterion", M::kCriterion, "criterion", "'mse'"},
        {"max_depth", M::kDepth, "max_depth", "3"},
        {"max_features", M::kMaxFeatures, "max_features", "'auto'"},
        {"min_samples_split", M::kRows, "min_split", "0.1"},
        {"min_samples_leaf", M::kRows, "min_leaf", "1"}},
       {"trees", "max_depth", "min_split"}},
      {"SVR",
       "svr",
       {{"C", M::kPositive, "C", "1"},
        {"epsilon", M::kNotNegative, "epsilon", "0.1"},
        {"gamma", M::kGamma, "", "'scale'"},
        {"kernel", M::kKernel, "", "'rbf'"},
        {"degree", M::kNoEffect, "", "2"}},
       {}},
      {"NNLS", "nnls", {{"fit_intercept", M::kFlag, "intercept", "True"}}, {"*"}},
      {"Stepwise",
       "stepwise",
       {{"p_to_add", M::kProbability, "p_to_add", "0.05"},
        {"p_to_remove", M::kProbability, "p_to_remove", "0.1"},
        {"fit_intercept", M::kFlag, "intercept", "True"},
        {"max_iter", M::kNoEffect, "", "100"}},
       {"*"}},
      {"NeuralNetwork", "", {}, {}},
      {"Dummy", "", {}, {}},
  };
  return kAll;
}

base::Result<const KnownTechnique*> FindAutomlTechnique(const std::string& label) {
  std::vector<std::string> labels;
  for (const KnownTechnique& known : KnownAutomlTechniques()) {
    if (known.label == label) return &known;
    labels.emplace_back(known.label);
  }
  return base::BadInput(
      fmt::format("unknown technique '{}'{}", label, base::SuggestFrom(label, labels)));
}

base::Status SetHyperparameter(const KnownHyperparameter& known, const Literal& value,
                               const PenaltyUnits& units, learn::Candidate& candidate) {
  double& setting = candidate.settings[known.ours];
  switch (known.meaning) {
    case Meaning::kRidgePenalty: {
      RECKON_ASSIGN(setting, Number(value, 0, false, "a number from 0 on"));
      setting /= units.rows;
      return {};
    }
    case Meaning::kLassoPenalty: {
      RECKON_ASSIGN(setting, Number(value, 0, true, "a number above 0"));
      // In the target's unit: what the target's deviation is, each fit says of its own rows.
      candidate.settings["in_target_unit"] = 1;
      return {};
    }
    case Meaning::kPositive: {
      RECKON_ASSIGN(setting, Number(value, 0, true, "a number above 0"));
      return {};
    }
    case Meaning::kNotNegative: {
      RECKON_ASSIGN(setting, Number(value, 0, false, "a number from 0 on"));
      return {};
    }
    case Meaning::kProbability: {
      RECKON_ASSIGN(setting, Number(value, 0, true, "a number above 0 and below 1"));
      if (setting >= 1) return Expected("a number above 0 and below 1", value);
      return {};
    }
    case Meaning::kCount: {
      RECKON_ASSIGN(setting, Count(value));
      return {};
    }
    case Meaning::kDepth: {
      RECKON_ASSIGN(setting, Depth(value));
      return {};
    }
    case Meaning::kRows: {
      RECKON_ASSIGN(setting, Rows(value));
      return {};
    }
    case Meaning::kFlag: {
      RECKON_ASSIGN(setting, Flag(value));
      return {};
    }
    default:
      candidate.settings.erase(known.ours);
  }
  switch (known.meaning) {
    case Meaning::kCriterion: {
      RECKON_ASSIGN(candidate.words[known.ours], Criterion(value));
      return {};
    }
    case Meaning::kMaxFeatures: {
      RECKON_ASSIGN(candidate.words[known.ours], MaxFeatures(value));
      return {};
    }
    case Meaning::kKernel:
      return SetKernel(value, candidate);
    case Meaning::kGamma:
      return SetGamma(value, candidate);
    default:
      return {};
  }
}

}  // namespace reckon::app
