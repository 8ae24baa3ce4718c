// Sums of power laws: their inputs, their behaviour beyond the range, blends of them.
#include <cmath>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "base/progress.h"
#include "learn/laws/law_inputs.h"
#include "learn/laws/powers_predictor.h"
#include "learn/model.h"
#include "learn/model_file.h"
#include "learn/regressors/blend.h"
#include "learn/regressors/registry.h"
#include "tests/support/data.h"

namespace reckon::learn {
namespace {

using Form = LawInput::Form;
using support::GridTable;
using support::MakeDataset;
using support::NumberTable;

size_t CountOf(const std::vector<LawInput>& inputs, size_t column) {
  return static_cast<size_t>(
      std::count_if(inputs.begin(), inputs.end(),
                    [column](const LawInput& input) { return input.column == column; }));
}

TEST(LawInputsTest, ColumnsThatOthersDetermineAreLeftOut) {
  // cores = 4 * workers: the same column on a log scale.
  const Dataset data = MakeDataset(NumberTable({{"workers", {1, 2, 4, 8, 16, 3}},
                                                {"cores", {4, 8, 16, 32, 64, 12}},
                                                {"batch", {8, 64, 8, 16, 32, 64}},
                                                {"y", {9, 8, 7, 6, 5, 4}}}),
                                   "y");
  Question question;
  const LawInputs inputs = ChooseLawInputs(data, question);
  EXPECT_EQ(CountOf(inputs.scaling, 0), 1);
  EXPECT_EQ(CountOf(inputs.scaling, 1), 0);
  EXPECT_EQ(CountOf(inputs.scaling, 2), 1);
  // The column of the question stays, whatever determines it.
  question.extrapolate = 1;
  const LawInputs asked = ChooseLawInputs(data, question);
  EXPECT_EQ(CountOf(asked.scaling, 1), 1);
  EXPECT_EQ(CountOf(asked.scaling, 0), 0);
}

TEST(LawInputsTest, WhatMovesWithTheQuestionIsHeldOrBecomesThresholds) {
  const Dataset data = MakeDataset(NumberTable({{"gpus", {1, 2, 3, 4, 6, 8, 12, 16}},
                                                {"nodes", {1, 1, 1, 1, 2, 2, 3, 4}},
                                                {"links", {1, 1.5, 2, 3.2, 5.5, 6.1, 9.7, 16.1}},
                                                {"y", {9, 8, 7, 6, 5, 4, 3, 2}}}),
                                   "y");
  Question question;
  question.extrapolate = 0;
  const LawInputs inputs = ChooseLawInputs(data, question);
  EXPECT_EQ(CountOf(inputs.scaling, 1), 0);
  EXPECT_EQ(CountOf(inputs.levels, 1), 3);  // between four values
  ASSERT_EQ(CountOf(inputs.scaling, 2), 1);
  const LawInput& links = inputs.scaling.back();
  EXPECT_EQ(links.Of(1000), std::log(16.1));
}

TEST(LawInputsTest, DamagedInputsAreRefused) {
  const Dataset data =
      MakeDataset(GridTable({1, 2, 4}, {10, 20}, 1, [](double w, double s) { return s / w; }), "y");
  const base::Json good = LawInputsToJson(ChooseLawInputs(data, {}).scaling, data.schema);
  ASSERT_TRUE(LawInputsFromJson(good, data.schema).ok());
  const auto refused = [&](const char* key, const base::Json& value) {
    base::Json broken = good;
    broken[0][key] = value;
    return !LawInputsFromJson(broken, data.schema).ok();
  };
  EXPECT_TRUE(refused("column", "nowhere"));
  EXPECT_TRUE(refused("form", "cubic"));
  EXPECT_TRUE(refused("high", "far"));
  EXPECT_TRUE(refused("high", 0));  // no room for a logarithm
  EXPECT_FALSE(LawInputsFromJson(base::Json::object(), data.schema).ok());
}

TEST(LawInputsTest, UnseenLevelsAndLowValuesAreFinite) {
  const LawInput log{Form::kLog, 0, 0, 0, 1e300};
  EXPECT_TRUE(std::isfinite(log.Of(0)));
  const LawInput level{Form::kLevel, 0, 2, 0, 0};
  EXPECT_EQ(level.Of(-1), 0);
  EXPECT_EQ(level.Of(2), 1);
}

Model FitBy(const std::string& technique, const Dataset& data, std::optional<size_t> extrapolate) {
  SearchOptions options;
  if (!technique.empty()) options.techniques = {technique};
  options.question.extrapolate = extrapolate;
  base::NoProgress progress;
  return MakeModel(data, options, Search(data, options, {}, progress).value());
}

double At(const Model& model, double workers, double size) {
  Matrix x(1, 2);
  x << workers, size;
  return model.fitted.Predict(x)(0);
}

TEST(PowersTest, FindsAFixedPartBeyondTheRange) {
  const Dataset data = MakeDataset(GridTable({1, 2, 3, 4, 6, 8}, {10, 20, 40}, 1,
                                             [](double w, double s) { return 30 + 20 * s / w; }),
                                   "y");
  const Model model = FitBy("powers", data, 0);
  // 30 + 20 * 40 / 64 = 42.5; a single power law would fall to about 20.
  EXPECT_NEAR(At(model, 64, 40), 42.5, 6);
}

TEST(PowersTest, NeverRunsAway) {
  const Dataset data =
      MakeDataset(GridTable({1, 2, 3, 4}, {10, 20}, 1,
                            [](double w, double s) { return s * std::exp(0.6 * w); }),
                  "y");
  const Model model = FitBy("powers", data, 0);
  const double end = At(model, 4, 20);
  // The law may follow the slope at the end, which is below 3, and 0.35 more.
  EXPECT_LT(At(model, 400, 20), end * std::pow(100, 3.35));
  for (const double w : {1e3, 1e6, 1e9}) EXPECT_TRUE(std::isfinite(At(model, w, 20)));
}

TEST(PowersTest, WhatStillFallsDoesNotTurnUp) {
  const Dataset data = MakeDataset(
      GridTable({1, 2, 4, 8}, {10, 20}, 1, [](double w, double s) { return s / w + 0.01 * w; }),
      "y");
  const Model model = FitBy("powers", data, 0);
  double last = At(model, 8, 20);
  for (double workers = 10; workers < 10000; workers *= 1.3) {
    const double here = At(model, workers, 20);
    EXPECT_LE(here, last * 1.000001) << workers;
    last = here;
  }
}

// What trees learned at the end of the range is worth less and less beyond it.
TEST(PowersTest, TheCorrectionFadesOutside) {
  const Dataset data = MakeDataset(
      GridTable({1, 2, 3, 4, 6, 8, 12, 16}, {10, 20, 40, 80}, 1,
                [](double w, double s) { return (5 + 20 * s / w) * (w > 7 ? 1.3 : 1); }),
      "y");
  const Technique* technique = FindTechnique("powers").value();
  const CandidateGroup group = technique->Candidates(data, {}, {0}, {}).front();
  ASSERT_GT(group.back().settings.at("trees"), 0);
  const auto fits =
      technique
          ->Fit({.data = data, .roles = {}, .rng = base::Rng(1), .question = {0}}, {group.back()})
          .value();
  const auto& powers = dynamic_cast<const PowersPredictor&>(*fits.front());
  const auto correction = [&](double workers) {
    Matrix x(1, 2);
    x << workers, 40;
    return std::fabs(powers.Predict(x)(0) - powers.PredictLaw(x)(0));
  };
  const double end = correction(16);
  ASSERT_GT(end, 0.01);
  EXPECT_NEAR(correction(16 * std::exp(LawCorrection::kFadeDistance)), end / std::exp(1), 1e-9);
  EXPECT_LT(correction(16e12), 0.01 * end);
}

// A wave along the workers is no sum of powers; a process beside the law follows it between the
// measured rows, and its file says the same.
TEST(PowersTest, AProcessFollowsWhatTheLawLeavesOver) {
  const auto truth = [](double w, double s) {
    return (5 + 20 * s / w) * (1 + 0.2 * std::sin(3 * std::log(w)));
  };
  const Dataset data =
      MakeDataset(GridTable({1, 1.5, 2, 3, 4, 6, 8, 12, 16}, {10, 20, 40, 80}, 1, truth), "y");
  const Technique* technique = FindTechnique("powers").value();
  const auto groups = technique->Candidates(data, {}, {}, {});
  const CandidateGroup& group = groups.front();
  ASSERT_TRUE(group.back().settings.contains("process"));
  ASSERT_EQ(group.front().settings.at("trees"), 0);
  const auto fits =
      technique
          ->Fit({.data = data, .roles = {}, .rng = base::Rng(1)}, {group.front(), group.back()})
          .value();
  Matrix asked(2, 2);
  asked << 5, 40, 10, 20;
  const Vector wanted = Vector{{std::log(truth(5, 40)), std::log(truth(10, 20))}};
  const Vector smooth = fits[1]->Predict(asked);
  EXPECT_GT((fits[0]->Predict(asked) - wanted).cwiseAbs().maxCoeff(), 0.05);
  EXPECT_LT((smooth - wanted).cwiseAbs().maxCoeff(), 0.02);
  EXPECT_GT(std::get<PowersFormula>(fits[1]->ToFormula()).correction.centres, 30U);
  const auto again = technique->Load(fits[1]->ToJson(data.schema), data.schema);
  ASSERT_TRUE(again.ok()) << again.error().Describe();
  EXPECT_LT(((*again)->Predict(asked) - smooth).cwiseAbs().maxCoeff(), 1e-12);
}

// More columns than a process takes, or nothing left over: the laws are there all the same.
TEST(PowersTest, LawsStandAloneWhereNoProcessFits) {
  const Technique* technique = FindTechnique("powers").value();
  const auto fit_all = [&](const Dataset& data) {
    size_t smooth = 0;
    for (const CandidateGroup& group : technique->Candidates(data, {}, {}, {})) {
      const auto fits = technique->Fit({.data = data, .roles = {}, .rng = base::Rng(1)}, group);
      EXPECT_TRUE(fits.ok()) << fits.error().Describe();
      smooth += group.back().settings.contains("process") ? 1 : 0;
    }
    return smooth;
  };
  core::Table table =
      GridTable({1, 2, 4, 8}, {10, 20, 40}, 10, [](double w, double s) { return 5 + 3 * s / w; });
  EXPECT_GT(fit_all(MakeDataset(table, "y")), 0U);
  std::vector<std::string> names;
  std::vector<double> codes;
  for (size_t i = 0; i < table.row_count; ++i) codes.push_back(static_cast<double>(i % 110));
  for (size_t i = 0; i < 110; ++i) names.push_back("job" + std::to_string(i));
  support::AddCategories(table, "job", names, codes);
  EXPECT_EQ(fit_all(MakeDataset(table, "y")), 0U);

  // The law leaves nothing over.
  Dataset same =
      MakeDataset(GridTable({1, 2, 4}, {10, 20}, 1, [](double w, double s) { return s / w; }), "y");
  same.y.setConstant(1);
  EXPECT_GT(fit_all(same), 0U);
}

TEST(BlendTest, IsTheGeometricMeanOfItsMembersAndReadsBack) {
  const Dataset data =
      MakeDataset(GridTable({1, 2, 3, 4, 6, 8}, {10, 20, 40}, 2,
                            [rng = base::Rng(2)](double w, double s) mutable {
                              return (5 + 2 * s / w + 0.2 * w) * std::exp(0.03 * rng.Normal());
                            }),
                  "y");
  const Model model = FitBy("", data, 0);
  const auto* blend = dynamic_cast<const BlendPredictor*>(model.fitted.predictor.get());
  ASSERT_NE(blend, nullptr);
  Matrix x(2, 2);
  x << 12, 30, 3, 20;
  double total = 0;
  Vector logs = Vector::Zero(2);
  for (const BlendMember& member : blend->members()) {
    total += member.weight;
    logs += member.weight * Vector(member.fitted.Predict(x).array().log());
  }
  EXPECT_NEAR(total, 1, 1e-12);
  EXPECT_NEAR(model.fitted.Predict(x)(0), std::exp(logs(0)), 1e-9);
  Vector spread;
  EXPECT_EQ(blend->PredictWithSpread(x, spread)(0), blend->Predict(x)(0));
  EXPECT_GT(spread(0), 0);
  const Model again = ModelFromText(ModelToText(model), "m").value();
  EXPECT_EQ(again.fitted.Predict(x), model.fitted.Predict(x));
}

TEST(BlendTest, ABlendInABlendIsRefused) {
  const Dataset data = MakeDataset(
      GridTable({1, 2, 4, 8}, {10, 20}, 1, [](double w, double s) { return 1 + s / w; }), "y");
  const Model model = FitBy("", data, std::nullopt);
  const std::string text = base::DumpJson(model.fitted.predictor->ToJson(model.schema));
  const base::Json json = base::ParseJson(text, "m").value();
  const auto loaded = BlendPredictor::Load(json, model.schema);
  ASSERT_TRUE(loaded.ok()) << loaded.error().Describe();
  base::Json nested = json;
  nested["members"][0]["candidate"]["technique"] = "blend";
  EXPECT_EQ(BlendPredictor::Load(nested, model.schema).error().code(), base::ErrorCode::kCorrupt);
  for (const char* key : {"weight", "candidate", "predictor", "target_range"}) {
    base::Json broken = json;
    broken["members"][0].erase(key);
    EXPECT_FALSE(BlendPredictor::Load(broken, model.schema).ok()) << key;
  }
}

}  // namespace
}  // namespace reckon::learn
