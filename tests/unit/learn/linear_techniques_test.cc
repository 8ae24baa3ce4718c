#include <cmath>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "learn/regressors/linear_predictor.h"
#include "learn/regressors/registry.h"
#include "tests/support/data.h"

namespace reckon::learn {
namespace {

using support::GridTable;
using support::MakeDataset;

Dataset Grid() {
  return MakeDataset(GridTable({1, 2, 4, 8, 16}, {10, 20, 40}, 1,
                               [](double w, double s) { return 7 + 3 * s / w + 0.5 * w; }),
                     "y");
}

std::unique_ptr<Predictor> FitLinear(const char* name, const Dataset& data, Candidate candidate) {
  candidate.technique = name;
  const Roles roles = FindRoles(data.schema, {}).value();
  auto fitted = FindTechnique(name).value()->Fit({data, roles, base::Rng(1)}, {candidate});
  return std::move((*fitted)[0]);
}

std::vector<std::string> TermNames(const Predictor& predictor, const Schema& schema) {
  std::vector<std::string> names;
  for (const Term& term : predictor.features().terms()) names.push_back(TermName(term, schema));
  return names;
}

TEST(LinearTechniquesTest, StepwiseAndNnlsFindTheLaw) {
  const Dataset data = Grid();
  const FeatureOptions features{.raw = true, .inverse = true, .degree = 2};
  const auto nnls = FitLinear("nnls", data, {.features = features, .settings = {{"intercept", 1}}});
  EXPECT_LT((nnls->Predict(data.x) - data.y).cwiseAbs().maxCoeff(), 1e-5);
  EXPECT_GE(dynamic_cast<const LinearPredictor&>(*nnls).weights().minCoeff(), 0);
  const auto stepwise =
      FitLinear("stepwise", data,
                {.features = features,
                 .settings = {{"p_to_add", 0.05}, {"p_to_remove", 0.1}, {"intercept", 1}}});
  EXPECT_LT((stepwise->Predict(data.x) - data.y).cwiseAbs().maxCoeff(), 1e-3);
}

TEST(LinearTechniquesTest, NnlsIsOptimal) {
  const Dataset data = Grid();
  const FeatureOptions features{.raw = true, .log = true};
  for (const double intercept : {0.0, 1.0}) {
    const auto predictor =
        FitLinear("nnls", data, {.features = features, .settings = {{"intercept", intercept}}});
    const auto& linear = dynamic_cast<const LinearPredictor&>(*predictor);
    if (intercept == 0) {
      EXPECT_EQ(linear.intercept(), 0);
    }
    const Vector left = data.y - predictor->Predict(data.x);
    if (intercept == 1) {
      EXPECT_NEAR(left.sum(), 0, 1e-8);
    }
    // No term wants more weight, and those that have some want no less.
    const FeatureMap all = *MakeFeatures(data, features, 100);
    const Matrix columns = all.Apply(data.x);
    for (size_t t = 0; t < all.terms().size(); ++t) {
      const auto column = columns.col(static_cast<Eigen::Index>(t));
      const double pull = column.dot(left) / column.norm();
      EXPECT_LE(pull, 1e-6);
      const auto& kept = linear.features().terms();
      if (std::find(kept.begin(), kept.end(), all.terms()[t]) != kept.end()) {
        EXPECT_NEAR(pull, 0, 1e-6);
      }
    }
  }
}

TEST(LinearTechniquesTest, LassoKeepsFewTerms) {
  const Dataset data = Grid();
  const auto predictor =
      FitLinear("lasso", data,
                {.scale = TargetScale::kLog,
                 .features = {.raw = true, .inverse = true, .log = true, .degree = 2},
                 .settings = {{"alpha", 0.03}}});
  EXPECT_GT(predictor->features().terms().size(), 0u);
  EXPECT_LT(predictor->features().terms().size(), 10u);
}

TEST(LinearTechniquesTest, SelectionHappensInsideTheFit) {
  const Dataset data = Grid();
  for (const char* name : {"ridge", "lasso", "nnls"}) {
    FeatureOptions features{.raw = true, .inverse = true, .log = true, .degree = 2};
    features.select = {.way = TermSelection::Way::kForward, .most_terms = 2};
    const auto predictor = FitLinear(
        name, data, {.features = features, .settings = {{"alpha", 1e-4}, {"intercept", 1}}});
    EXPECT_THAT(TermNames(*predictor, data.schema), ::testing::Contains("1/workers * size"))
        << name;
    EXPECT_LE(predictor->features().terms().size(), 2u);
  }
}

TEST(LinearTechniquesTest, GroupsGiveTheSameAsFitsOnTheirOwn) {
  const Dataset data = Grid();
  const Roles roles = FindRoles(data.schema, {}).value();
  for (const char* name : {"lasso", "stepwise", "nnls"}) {
    const Technique& technique = *FindTechnique(name).value();
    const auto groups = technique.Candidates(data, roles, {}, {});
    ASSERT_FALSE(groups.empty());
    for (const CandidateGroup& group : groups) {
      const auto together = technique.Fit({data, roles, base::Rng(1)}, group).value();
      for (size_t i = 0; i < group.size(); ++i) {
        const auto alone = technique.Fit({data, roles, base::Rng(1)}, {group[i]}).value();
        EXPECT_EQ(together[i]->Predict(data.x), alone[0]->Predict(data.x)) << name;
      }
      const base::Json json = together[0]->ToJson(data.schema);
      const auto loaded = technique.Load(json, data.schema).value();
      EXPECT_EQ(loaded->Predict(data.x), together[0]->Predict(data.x)) << name;
      base::Json damaged = json;
      damaged["weights"].push_back("x");
      EXPECT_EQ(technique.Load(damaged, data.schema).error().code(), base::ErrorCode::kCorrupt);
    }
  }
}

}  // namespace
}  // namespace reckon::learn
