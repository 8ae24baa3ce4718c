#include "predict/scaling_law_writer.h"

#include <cmath>

#include <gmock/gmock.h>

#include "learn/regressors/scaling_law_predictor.h"
#include "predict/scaling_words.h"

namespace reckon::predict {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Form = learn::LawFactor::Form;

learn::Model EmptyModel() {
  learn::Model model;
  model.schema.target = "time_s";
  for (const char* name : {"workers", "nodes"}) {
    learn::InputColumn input;
    input.name = name;
    input.min = 1;
    input.max = 8;
    model.schema.inputs.push_back(input);
  }
  learn::InputColumn gpu;
  gpu.name = "gpu";
  gpu.kind = core::ColumnKind::kCategory;
  gpu.levels = {"k80", "v100"};
  model.schema.inputs.push_back(gpu);
  model.fitted.candidate.scale = learn::TargetScale::kLog;
  model.fitted.range = {1, 100};
  return model;
}

learn::Model ModelOf(learn::ScalingLaw law) {
  learn::Model model = EmptyModel();
  model.fitted.candidate.technique = law.name;
  model.fitted.predictor = std::make_unique<learn::ScalingLawPredictor>(std::move(law));
  return model;
}

learn::LawTerm Term(const char* parameter, learn::LawPart part, double coefficient,
                    std::vector<learn::LawFactor> factors) {
  learn::LawTerm term;
  term.parameter = parameter;
  term.part = part;
  term.coefficient = coefficient;
  term.factors = std::move(factors);
  return term;
}

learn::ScalingLaw Usl() {
  learn::ScalingLaw law;
  law.name = "usl";
  law.terms = {Term("T1", learn::LawPart::kCompute, 100, {{Form::kPower, 0, -1}}),
               Term("T1*sigma", learn::LawPart::kExchange, 4,
                    {{Form::kExcess, 0, 1}, {Form::kPower, 0, -1}}),
               Term("T1*kappa", learn::LawPart::kExchange, 0.24, {{Form::kExcess, 0, 1}})};
  return law;
}

// Everything at once: overlap, nodes, logarithms, own factors of machines, inputs.
learn::ScalingLaw Everything() {
  learn::ScalingLaw law;
  law.name = "pollux";
  law.terms = {
      Term("a", learn::LawPart::kCompute, 2, {{Form::kPower, 0, -0.5}}),
      Term("b", learn::LawPart::kExchange, 0.5, {{Form::kAbove, 1, 1}}),
      Term("c", learn::LawPart::kExchange, 0.25, {{Form::kUpTo, 1, 1}, {Form::kLog2, 0, 2}}),
      Term("d", learn::LawPart::kExchange, 0, {})};
  law.terms.back().frozen = true;
  law.overlap = 3;
  law.machine = 2;
  law.exchange = {1, 1.5};
  law.inputs = {{learn::LawInput::Form::kLevel, 2, 0, 0, 0}};
  law.weights = {std::log(2.0)};
  return law;
}

TEST(ScalingLawWriterTest, WordsAndLatex) {
  EXPECT_EQ(WriteFormula(ModelOf(Usl()), FormulaLanguage::kText),
            "time_s = ( 100 * workers^-1\n"
            "      + 4 * max(workers - 1, 0) * workers^-1 + 0.24 * max(workers - 1, 0) )\n");
  const std::string all = WriteFormula(ModelOf(Everything()), FormulaLanguage::kText);
  EXPECT_EQ(all,
            "time_s = ((2 * workers^-0.5)^3\n"
            "      + ((0.5 * [nodes > 1] + 0.25 * [nodes <= 1] * log2(workers)^2) * "
            "1.5^[gpu = v100])^3)^(1/3)\n"
            "      * 2^[gpu = k80]\n");
  const std::string latex = WriteFormula(ModelOf(Everything()), FormulaLanguage::kLatex);
  EXPECT_THAT(latex, HasSubstr("{\\log_2(\\text{workers})}^{2}"));
  EXPECT_THAT(latex, HasSubstr("[\\text{nodes} \\le 1]"));
  EXPECT_THAT(latex, HasSubstr("^{1/3}"));
}

TEST(ScalingLawWriterTest, Code) {
  const std::string python = WriteFormula(ModelOf(Everything()), FormulaLanguage::kPython);
  EXPECT_THAT(python, HasSubstr("compute = 2.0 * x_workers ** -0.5"));
  EXPECT_THAT(python, HasSubstr("0.25 * (x_nodes <= 1.0) * math.log2(max(x_workers, 1.0)) ** 2.0"));
  EXPECT_THAT(python, HasSubstr("* 1.5 ** (x_gpu == \"v100\")"));
  const std::string cpp = WriteFormula(ModelOf(Everything()), FormulaLanguage::kCpp);
  EXPECT_THAT(cpp, HasSubstr("(x_nodes > 1.0 ? 1.0 : 0.0)"));
  EXPECT_THAT(cpp, HasSubstr("std::pow((compute / top), 3.0)"));
}

TEST(ScalingLawWriterTest, CoefficientsAreSaidInWords) {
  EXPECT_THAT(
      ScalingInWords(ModelOf(Usl())),
      ElementsAre("T1 = 100, T1*sigma = 4, T1*kappa = 0.24",
                  "contention sigma = 0.04, coherence kappa = 0.0024", "fastest at 20 workers"));
  EXPECT_THAT(ScalingInWords(ModelOf(Everything())),
              ElementsAre("a = 2, b = 0.5, c = 0.25, overlap = 3", "not measured, frozen: d = 0"));
  learn::ScalingLaw amdahl;
  amdahl.name = "amdahl";
  amdahl.terms = {Term("parallel", learn::LawPart::kCompute, 90, {{Form::kPower, 0, -1}}),
                  Term("serial", learn::LawPart::kExchange, 10, {})};
  EXPECT_THAT(ScalingInWords(ModelOf(amdahl)).back(),
              "10 % is not divided among the workers: at most 10.0 times as fast as one");
}

TEST(ScalingLawWriterTest, CountsAreAboveZero) {
  const learn::Model model = ModelOf(Everything());
  numeric::Matrix x(1, 3);
  x << 0, 1, 0;
  EXPECT_THAT(model.fitted.predictor->features().DomainProblem(x.row(0), model.schema),
              HasSubstr("workers = 0"));
  x << 1, 0, 0;
  EXPECT_THAT(model.fitted.predictor->features().DomainProblem(x.row(0), model.schema),
              HasSubstr("nodes = 0"));
  x << 1e308, 1, 0;
  EXPECT_TRUE(std::isfinite(model.fitted.Predict(x)(0)));
}

}  // namespace
}  // namespace reckon::predict
