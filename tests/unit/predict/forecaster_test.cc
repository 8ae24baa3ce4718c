#include "predict/forecaster.h"

#include <cmath>

#include <gmock/gmock.h>

#include "predict/contributions.h"
#include "predict/formula_writer.h"
#include "tests/support/data.h"

namespace reckon::predict {
namespace {

using ::testing::HasSubstr;

learn::Model Fit(const std::string& technique, bool log_features = false) {
  core::Table table = support::GridTable({1, 2, 4, 8}, {10, 20}, 1,
                                         [](double w, double s) { return 2 + 3 * s / w; });
  support::AddCategories(table, "gpu", {"k80", "v100"}, {0, 1, 1, 0, 1, 0, 0, 1});
  const learn::Dataset data = support::MakeDataset(table, "y");
  learn::SearchOptions options;
  options.techniques = {technique};
  if (log_features) options.restrictions.features = {.raw = false, .log = true};
  base::NoProgress progress;
  return learn::MakeModel(data, options, learn::Search(data, options, {}, progress).value());
}

core::Table Questions(const std::vector<double>& workers, const std::vector<double>& sizes,
                      const std::string& gpu) {
  core::Table table = support::NumberTable({{"size", sizes}, {"workers", workers}});
  support::AddCategories(table, "gpu", {gpu}, std::vector<double>(workers.size(), 0));
  return table;
}

TEST(ForecasterTest, FlagsWhatWasNotMeasuredAndSaysWhy) {
  const learn::Model model = Fit("ernest");
  base::NoProgress progress;
  const auto inside = MakeForecasts(model, Questions({2}, {10}, "k80"), {}, progress).value();
  EXPECT_TRUE(inside[0].in_support);
  EXPECT_NEAR(inside[0].predicted, 17, 0.5);
  EXPECT_LE(inside[0].lower, inside[0].predicted);
  EXPECT_GE(inside[0].upper, inside[0].predicted);
  const auto outside =
      MakeForecasts(model, Questions({64, 1}, {10, 5}, "h100"), {}, progress).value();
  EXPECT_FALSE(outside[0].in_support);
  EXPECT_THAT(outside[0].outside, ::testing::ElementsAre("workers = 64 is above the measured 1..8",
                                                         HasSubstr("'h100' was never measured")));
  EXPECT_THAT(outside[1].outside, ::testing::Contains(HasSubstr("size = 5 is below")));
}

TEST(ForecasterTest, AValueOtherThanTheOnlyMeasuredOneIsOutside) {
  core::Table table = support::NumberTable(
      {{"workers", {1, 2, 4, 8}}, {"nodes", {1, 1, 1, 1}}, {"y", {10, 6, 4, 3}}});
  const learn::Dataset data = support::MakeDataset(table, "y");
  base::NoProgress progress;
  const learn::Model model =
      learn::MakeModel(data, {}, learn::Search(data, {}, {}, progress).value());
  const auto answers =
      MakeForecasts(model, support::NumberTable({{"workers", {2, 2}}, {"nodes", {1, 64}}}), {},
                    progress)
          .value();
  EXPECT_TRUE(answers[0].in_support);
  EXPECT_FALSE(answers[1].in_support);
  EXPECT_GT(answers[1].upper - answers[1].lower, answers[0].upper - answers[0].lower);
}

TEST(ForecasterTest, RowsInBlocksAreLikeRowsAlone) {
  const learn::Model model = Fit("ridge");
  std::vector<double> workers;
  std::vector<double> sizes;
  for (int i = 0; i < 3000; ++i) {
    workers.push_back(1 + i % 9);
    sizes.push_back(10 + i % 7);
  }
  base::NoProgress progress;
  const auto all = MakeForecasts(model, Questions(workers, sizes, "k80"), {}, progress).value();
  ASSERT_EQ(all.size(), 3000);
  for (const size_t row : {size_t{0}, size_t{1023}, size_t{1024}, size_t{2999}}) {
    const auto one =
        MakeForecasts(model, Questions({workers[row]}, {sizes[row]}, "k80"), {}, progress).value();
    EXPECT_DOUBLE_EQ(one[0].predicted, all[row].predicted);
  }
}

TEST(ForecasterTest, MeaninglessValuesAreRefusedWithTheirRow) {
  const learn::Model model = Fit("ridge", true);
  base::NoProgress progress;
  const auto refused = MakeForecasts(model, Questions({2, 0}, {10, 10}, "k80"), {}, progress);
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().message(), HasSubstr("row 2: workers = 0"));
}

TEST(ForecasterTest, OtherColumnsAreRefused) {
  base::NoProgress progress;
  const auto refused =
      MakeForecasts(Fit("tree"), support::NumberTable({{"size", {1}}}), {}, progress);
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().message(), HasSubstr("no column workers, gpu"));
}

double Total(const Breakdown& breakdown) {
  double sum = 0;
  for (const core::Contribution& part : breakdown.parts) sum += part.amount;
  return breakdown.scale == learn::TargetScale::kLog ? std::exp(sum) : sum;
}

TEST(ContributionsTest, AddUpToTheForecast) {
  for (const char* technique : {"ridge", "ernest", "tree", "boost", "powers", "generic", "blend"}) {
    const learn::Model model = Fit(technique);
    for (const double workers : {4, 64}) {
      const Eigen::RowVector3d row(workers, 20, 1);
      const Breakdown breakdown = Contributions(model, row);
      EXPECT_GT(breakdown.parts.size(), 1) << technique;
      const numeric::Matrix x = row;
      EXPECT_NEAR(Total(breakdown), model.fitted.Predict(x)(0), 1e-6) << technique;
    }
  }
}

TEST(ContributionsTest, SayWhatHoldsAForecastUp) {
  core::Table table =
      support::NumberTable({{"workers", {1, 2, 3, 4, 5, 6}}, {"y", {60, 50.5, 40, 29.5, 20, 10}}});
  const learn::Dataset data = support::MakeDataset(table, "y");
  learn::SearchOptions options;
  options.techniques = {"ridge"};
  options.restrictions.features = learn::FeatureOptions{};
  options.restrictions.scale = learn::TargetScale::kLinear;
  base::NoProgress progress;
  const learn::Model model =
      learn::MakeModel(data, options, learn::Search(data, options, {}, progress).value());
  numeric::Matrix x(2, 1);
  x << 20, 3.5;
  const learn::Bounds bounds = model.PredictBounds(x);
  EXPECT_NEAR(bounds.predicted(0), 0.01, 1e-9);
  const Breakdown breakdown = Contributions(model, x.row(0));
  EXPECT_NEAR(Total(breakdown), 0.01, 1e-6);
  EXPECT_TRUE(std::any_of(breakdown.parts.begin(), breakdown.parts.end(),
                          [](const auto& part) { return part.term.starts_with("held above"); }));
  EXPECT_GT(bounds.upper(0) / bounds.predicted(0), 2 * bounds.upper(1) / bounds.predicted(1));
}

TEST(ContributionsTest, MembersOfABlendComeWithTheirOwnTerms) {
  const learn::Model model = Fit("blend");
  for (const core::Contribution& member :
       Contributions(model, Eigen::RowVector3d(4, 20, 1)).parts) {
    EXPECT_FALSE(member.parts.empty()) << member.term;
    EXPECT_TRUE(member.parts_scale == "log" || member.parts_scale == "linear");
  }
}

TEST(ContributionsTest, ATreeSaysWhichSplitsMoveTheMean) {
  const Breakdown breakdown = Contributions(Fit("tree"), Eigen::RowVector3d(1, 20, 0));
  const auto named = [&](const std::string& term) {
    return std::any_of(breakdown.parts.begin(), breakdown.parts.end(),
                       [&](const core::Contribution& part) { return part.term == term; });
  };
  EXPECT_TRUE(named("mean of all rows"));
  EXPECT_TRUE(named("workers"));
}

TEST(FormulaTest, EveryLanguageNamesTheColumns) {
  for (const char* technique : {"ridge", "ernest", "tree", "boost", "powers", "blend"}) {
    const learn::Model model = Fit(technique);
    for (const auto language : {FormulaLanguage::kText, FormulaLanguage::kLatex,
                                FormulaLanguage::kPython, FormulaLanguage::kCpp}) {
      EXPECT_THAT(WriteFormula(model, language), HasSubstr("workers")) << technique;
    }
    EXPECT_THAT(WriteFormula(model, FormulaLanguage::kPython), HasSubstr("def predict("));
    EXPECT_THAT(WriteFormula(model, FormulaLanguage::kCpp), HasSubstr("double Predict("));
  }
}

TEST(FormulaTest, LevelsMayHoldAnySign) {
  core::Table table = support::NumberTable({{"y", {1, 7, 8, 2, 9, 1, 2, 7}}});
  support::AddCategories(table, "gpu", {"a\rb", "c\td"}, {0, 1, 1, 0, 1, 0, 0, 1});
  const learn::Dataset data = support::MakeDataset(table, "y");
  learn::SearchOptions options;
  options.techniques = {"ridge"};
  base::NoProgress progress;
  const learn::Model model =
      learn::MakeModel(data, options, learn::Search(data, options, {}, progress).value());
  for (const FormulaLanguage language : {FormulaLanguage::kPython, FormulaLanguage::kCpp}) {
    const std::string code = WriteFormula(model, language);
    EXPECT_EQ(code.find_first_of("\r\t"), std::string::npos);
    EXPECT_THAT(code, ::testing::AnyOf(HasSubstr("a\\015b"), HasSubstr("c\\011d")));
  }
}

TEST(FormulaTest, ColumnsThatBecomeTheSameIdentifierStayApart) {
  const core::Table table =
      support::NumberTable({{"a b", {1, 2, 3, 4}}, {"a_b", {4, 1, 3, 2}}, {"y", {9, 4, 9, 8}}});
  const learn::Dataset data = support::MakeDataset(table, "y");
  learn::SearchOptions options;
  options.techniques = {"ridge"};
  options.restrictions.features = learn::FeatureOptions{};
  base::NoProgress progress;
  const learn::Model model =
      learn::MakeModel(data, options, learn::Search(data, options, {}, progress).value());
  EXPECT_THAT(WriteFormula(model, FormulaLanguage::kPython), HasSubstr("x_a_b, x_a_b_2"));
}

}  // namespace
}  // namespace reckon::predict
