#include <cmath>

#include <gmock/gmock.h>

#include "learn/regressors/law_predictor.h"
#include "predict/contributions.h"
#include "predict/forecaster.h"
#include "predict/formula_writer.h"
#include "predict/scaling_words.h"

namespace reckon::predict {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

// (2 filters^0.5 + 3 or 5) * workers^-0.74 * batch^0.3 + 1.5; "pool" has no say.
learn::Model LawModel() {
  learn::Model model;
  model.schema.target = "time_s";
  const auto number = [&](const char* name, double min, double max) {
    learn::InputColumn input;
    input.name = name;
    input.min = min;
    input.max = max;
    input.typical = min;
    model.schema.inputs.push_back(input);
  };
  number("filters", 1, 64);
  number("pool", 2, 5);
  number("workers", 1, 8);
  number("batch", 8, 128);
  learn::InputColumn padding;
  padding.name = "padding";
  padding.kind = core::ColumnKind::kCategory;
  padding.levels = {"valid", "same"};
  model.schema.inputs.push_back(padding);
  learn::PowerLawFormula law;
  law.intrinsic = {{0, 2, 0.5}, {1, 0, 0}};
  law.levels = {{4, {3, 5}, 4}};
  law.extrinsic = {{2, -0.74}, {3, 0.3}};
  law.constant = 1.5;
  model.fitted.predictor = std::make_unique<learn::LawPredictor>(law);
  model.fitted.candidate.technique = "generic";
  model.fitted.range = {1, 100};
  return model;
}

TEST(LawTest, IsWrittenInEveryLanguage) {
  const learn::Model model = LawModel();
  EXPECT_EQ(WriteFormula(model, FormulaLanguage::kText),
            "time_s = (2 * filters^0.5\n"
            "      + [padding: valid 3, same 5; other 4])\n"
            "      * workers^-0.74\n"
            "      * batch^0.3\n"
            "      + 1.5\n");
  const std::string latex = WriteFormula(model, FormulaLanguage::kLatex);
  EXPECT_THAT(latex, HasSubstr("{\\text{workers}}^{-0.74}"));
  EXPECT_THAT(latex, HasSubstr("5 & \\text{padding} = \\text{same}"));
  const std::string python = WriteFormula(model, FormulaLanguage::kPython);
  EXPECT_THAT(python, HasSubstr("def predict(x_filters, x_pool, x_workers, x_batch, x_padding):"));
  EXPECT_THAT(python, HasSubstr("x_workers ** -0.74"));
  EXPECT_THAT(python, HasSubstr("{\"valid\": 3.0, \"same\": 5.0}.get(x_padding, 4.0)"));
  // A column is a parameter also where a term of factor 0 leaves it out.
  EXPECT_THAT(python, Not(HasSubstr("x_pool **")));
  const std::string cpp = WriteFormula(model, FormulaLanguage::kCpp);
  EXPECT_THAT(cpp, HasSubstr("std::pow(x_workers, -0.74)"));
  EXPECT_THAT(cpp, HasSubstr("(x_padding == \"valid\" ? 3.0 : x_padding == \"same\" ? 5.0 : 4.0)"));
}

TEST(LawTest, ContributionsAddUpToTheForecast) {
  const learn::Model model = LawModel();
  for (const double level : {0.0, 1.0, -1.0}) {
    numeric::Matrix x(1, 5);
    x << 16, 3, 4, 32, level;
    double sum = 0;
    for (const core::Contribution& part : Contributions(model, x.row(0)).parts) sum += part.amount;
    EXPECT_NEAR(sum, model.fitted.Predict(x)(0), 1e-12);
  }
}

TEST(LawTest, PowersAreSaidInWords) {
  EXPECT_THAT(
      ScalingInWords(LawModel()),
      ElementsAre("time_s falls as workers^-0.74: 58 % of ideal at 8 workers",
                  "time_s grows as batch^0.30", "on top of a constant 1.5 that nothing scales"));
}

TEST(LawTest, OnlyPositiveValuesHavePowers) {
  const learn::Model model = LawModel();
  const auto problem = [&](double filters, double pool, double workers) {
    numeric::Matrix x(1, 5);
    x << filters, pool, workers, 8, 0;
    return model.fitted.predictor->features().DomainProblem(x.row(0), model.schema);
  };
  EXPECT_EQ(problem(1, 0, 1), "");  // a column of factor 0 may be anything
  EXPECT_THAT(problem(1, 2, 0), HasSubstr("workers = 0"));
  EXPECT_THAT(problem(-3, 2, 1), HasSubstr("filters = -3"));
}

}  // namespace
}  // namespace reckon::predict
