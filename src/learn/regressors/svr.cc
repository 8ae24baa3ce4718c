#include "learn/regressors/svr.h"

#include <algorithm>
#include <cmath>

#include <nlohmann/json.hpp>

#include "learn/features/choose_terms.h"
#include "learn/regressors/feature_sets.h"
#include "learn/regressors/kernel_predictor.h"
#include "learn/regressors/linear_predictor.h"
#include "learn/regressors/support_vectors.h"
#include "learn/thin_rows.h"
#include "numeric/standardise.h"

namespace reckon::learn {
namespace {

constexpr size_t kMostTerms = 300;
constexpr size_t kMostVectorRows = 3000;

std::vector<std::map<std::string, double>> KernelSettings() {
  const auto most_rows = static_cast<double>(kMostVectorRows);
  std::vector<std::map<std::string, double>> all;
  for (const double cost : {0.1, 1.0, 10.0}) {
    all.push_back({{"gaussian", 0}, {"C", cost}, {"epsilon", 0.05}, {"most_rows", most_rows}});
  }
  for (const double cost : {1.0, 10.0, 100.0}) {
    for (const double gamma : {0.3, 1.0}) {
      all.push_back({{"gaussian", 1},
                     {"C", cost},
                     {"epsilon", 0.02},
                     {"gamma_scale", gamma},
                     {"most_rows", most_rows}});
    }
  }
  return all;
}

// The training rows, in units that make C, epsilon and gamma mean the same everywhere.
struct Problem {
  FeatureMap features;
  Matrix inputs;
  numeric::Standardised terms;
  numeric::Standardised target;
};

std::unique_ptr<Predictor> ToPredictor(const Problem& problem, const SupportVectors& found,
                                       const SupportVectorOptions& options) {
  const double middle = problem.target.mean(0);
  const double spread = problem.target.deviation(0);
  const double intercept = middle + spread * found.intercept;
  const Matrix& z = problem.terms.x;
  if (!options.gaussian) {
    // A sum of inner products is one weight a term.
    const Vector weights =
        problem.terms.Unscaled(spread * z(found.rows, Eigen::all).transpose() * found.coefficients);
    return std::make_unique<LinearPredictor>(problem.features, weights,
                                             intercept - weights.dot(problem.terms.mean));
  }
  KernelPredictor::Parts parts;
  parts.shape = KernelFormula::Shape::kGaussian;
  parts.features = problem.features;
  parts.intercept = intercept;
  parts.weights = Vector::Zero(z.cols());
  parts.scale = problem.terms.Unscaled(Vector::Constant(z.cols(), std::sqrt(options.gamma)));
  parts.centres = problem.inputs(found.rows, Eigen::all);
  parts.coefficients = spread * found.coefficients;
  return std::make_unique<KernelPredictor>(std::move(parts));
}

}  // namespace

std::vector<CandidateGroup> SvrTechnique::Candidates(const Dataset& data, const Roles&,
                                                     const Question&,
                                                     const Restrictions& restrictions) const {
  std::vector<CandidateGroup> groups;
  for (const FeatureSet& set :
       Restricted(SmoothFeatureSets(data, restrictions), data, restrictions, kMostTerms)) {
    // A group each: they share nothing that costs time, and can be fitted side by side.
    for (std::map<std::string, double>& settings : KernelSettings()) {
      groups.push_back({{.technique = std::string(name()),
                         .scale = set.scale,
                         .features = set.features,
                         .settings = std::move(settings)}});
    }
  }
  return groups;
}

base::Result<std::vector<std::unique_ptr<Predictor>>> SvrTechnique::Fit(
    const FitInput& input, const CandidateGroup& group) const {
  std::vector<std::unique_ptr<Predictor>> predictors;
  for (const Candidate& candidate : group) {
    const auto& settings = candidate.settings;
    const auto most_rows = static_cast<size_t>(settings.at("most_rows"));
    const Dataset part =
        input.data.Subset(ThinRows(input.data.rows(), most_rows, input.rng.Fork(1)));
    const Vector target = ToScale(part.y, candidate.scale);
    RECKON_ASSIGN(FeatureMap features, ChooseTerms(part, target, candidate.features, kMostTerms,
                                                   input.rng.Fork(2), input.stop));
    Problem problem{std::move(features), part.x, {}, numeric::Standardise(target)};
    problem.terms = numeric::Standardise(problem.features.Apply(part.x));
    SupportVectorOptions options;
    options.gaussian = settings.at("gaussian") == 1;
    options.cost = settings.at("C");
    options.epsilon = settings.at("epsilon");
    if (options.gaussian) {
      const auto terms = static_cast<double>(std::max<Eigen::Index>(1, problem.terms.x.cols()));
      options.gamma =
          settings.contains("gamma") ? settings.at("gamma") : settings.at("gamma_scale") / terms;
    }
    RECKON_ASSIGN(const SupportVectors found,
                  FindSupportVectors(problem.terms.x, problem.target.x.col(0), options));
    predictors.push_back(ToPredictor(problem, found, options));
  }
  return predictors;
}

base::Result<std::unique_ptr<Predictor>> SvrTechnique::Load(const base::Json& json,
                                                            const Schema& schema) const {
  if (json.is_object() && json.contains("centres")) return KernelPredictor::Load(json, schema);
  return LinearPredictor::Load(json, schema);
}

}  // namespace reckon::learn
