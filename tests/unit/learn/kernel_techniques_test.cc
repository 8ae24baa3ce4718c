#include <cmath>
#include <functional>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "learn/regressors/kernel_predictor.h"
#include "learn/regressors/registry.h"
#include "tests/support/data.h"

namespace reckon::learn {
namespace {

using support::MakeDataset;
using support::NumberTable;

std::unique_ptr<Predictor> FitOne(const char* name, const Dataset& data, Candidate candidate) {
  candidate.technique = name;
  const Roles roles = FindRoles(data.schema, {}).value();
  auto fitted = FindTechnique(name).value()->Fit({data, roles, base::Rng(1)}, {candidate});
  return std::move((*fitted)[0]);
}

Dataset Eight() {
  return MakeDataset(NumberTable({{"a", {1, 2, 3, 4, 5, 6, 7, 8}},
                                  {"b", {0.5, -1, 2, 0, 1, -2, 0.3, 1.7}},
                                  {"y", {2.1, 3.9, 7.2, 7.8, 11.1, 11.0, 14.2, 17.3}}}),
                     "y");
}

// Values of scikit-learn's SVR (gamma 0.5) on the same standardised columns and target.
TEST(SvrTest, AgreesWithScikitLearn) {
  Matrix questions(2, 2);
  questions << 2.5, 0.5, 6.5, 1.0;
  const auto gaussian = FitOne(
      "svr", Eight(),
      {.settings = {
           {"gaussian", 1}, {"C", 10}, {"epsilon", 0.02}, {"gamma_scale", 1}, {"most_rows", 100}}});
  EXPECT_NEAR(gaussian->Predict(questions)(0), 3.8958311, 1e-4);
  EXPECT_NEAR(gaussian->Predict(questions)(1), 14.94140681, 1e-4);
  const auto linear =
      FitOne("svr", Eight(),
             {.settings = {{"gaussian", 0}, {"C", 10}, {"epsilon", 0.02}, {"most_rows", 100}}});
  EXPECT_NEAR(linear->Predict(questions)(0), 5.25848051, 1e-4);
  EXPECT_NEAR(linear->Predict(questions)(1), 13.72374199, 1e-4);
}

TEST(SvrTest, UsesAtMostTheRowsItSays) {
  const auto predictor = FitOne(
      "svr", Eight(),
      {.settings = {
           {"gaussian", 1}, {"C", 10}, {"epsilon", 0}, {"gamma_scale", 1}, {"most_rows", 5}}});
  EXPECT_LE(std::get<KernelFormula>(predictor->ToFormula()).coefficients.size(), 5u);
}

Dataset Surface() {
  core::Table table;
  std::vector<double> a;
  std::vector<double> codes;
  std::vector<double> y;
  for (int i = 0; i < 60; ++i) {
    a.push_back(1 + i % 30);
    codes.push_back(i < 30 ? 0 : 1);
    y.push_back(std::exp(1 + std::sin(a.back() / 4) + 0.5 * codes.back()));
  }
  table = NumberTable({{"a", a}, {"y", y}});
  support::AddCategories(table, "gpu", {"k80", "v100"}, codes);
  return MakeDataset(table, "y");
}

TEST(GaussianProcessTechniqueTest, FollowsASmoothSurface) {
  const Dataset data = Surface();
  const auto predictor = FitOne(
      "gp", data,
      {.scale = TargetScale::kLog, .features = {.raw = true}, .settings = {{"most_rows", 1000}}});
  Matrix between(2, 2);
  between << 10.5, 0, 17.5, 1;
  const Vector predicted = predictor->Predict(between);
  EXPECT_NEAR(predicted(0), 1 + std::sin(10.5 / 4), 0.02);
  EXPECT_NEAR(predicted(1), 1.5 + std::sin(17.5 / 4), 0.02);
}

TEST(GaussianProcessTechniqueTest, TakesPartInsideTheRangeOnly) {
  const Technique& process = *FindTechnique("gp").value();
  EXPECT_TRUE(process.TakesPart({}));
  EXPECT_FALSE(process.TakesPart({.extrapolate = 0}));
  EXPECT_FALSE(FindTechnique("svr").value()->TakesPart({}));
}

TEST(KernelPredictorTest, SurvivesAFileAndRefusesADamagedOne) {
  const Dataset data = Surface();
  const Technique& process = *FindTechnique("gp").value();
  const auto predictor = FitOne(
      "gp", data,
      {.scale = TargetScale::kLog, .features = {.log = true}, .settings = {{"most_rows", 40}}});
  const base::Json json = predictor->ToJson(data.schema);
  const auto loaded = process.Load(base::Json::parse(json.dump()), data.schema).value();
  EXPECT_EQ(loaded->Predict(data.x), predictor->Predict(data.x));
  const auto refuses = [&](const std::function<void(base::Json&)>& damage) {
    base::Json damaged = json;
    damage(damaged);
    const auto outcome = process.Load(damaged, data.schema);
    EXPECT_FALSE(outcome.ok()) << damaged.dump().substr(0, 200);
    if (!outcome.ok()) {
      EXPECT_EQ(outcome.error().code(), base::ErrorCode::kCorrupt);
    }
  };
  refuses([](base::Json& j) { j["shape"] = "round"; });
  refuses([](base::Json& j) { j.erase("intercept"); });
  refuses([](base::Json& j) { j["weights"].erase(0); });
  refuses([](base::Json& j) { j["scale"].push_back(1); });
  refuses([](base::Json& j) { j["coefficients"].push_back(1); });
  refuses([](base::Json& j) { j["coefficients"][0] = "x"; });
  refuses([](base::Json& j) { j["centres"][0].push_back(1); });
  refuses([](base::Json& j) { j["centres"][0] = 3; });
  refuses([](base::Json& j) { j["centres"][0][0] = -1; });
  refuses([](base::Json& j) { j = base::Json::array(); });
}

}  // namespace
}  // namespace reckon::learn
