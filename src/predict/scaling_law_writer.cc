#include "predict/scaling_law_writer.h"

#include <cmath>

#include <fmt/format.h>

#include "base/text.h"
#include "predict/law_writer.h"

namespace reckon::predict {
namespace {

using learn::LawFactor;
using learn::LawInput;
using learn::LawPart;
using learn::LawTerm;
using learn::ScalingLaw;
using learn::Schema;

// A comparison as 1 or 0.
std::string TestText(const std::string& column, const char* sign, const std::string& number,
                     const Syntax& syntax) {
  switch (syntax.language) {
    case FormulaLanguage::kPython:
      return fmt::format("({} {} {})", column, sign, number);
    case FormulaLanguage::kCpp:
      return fmt::format("({} {} {} ? 1.0 : 0.0)", column, sign, number);
    case FormulaLanguage::kLatex:
      return fmt::format("[{} {} {}]", column, sign[1] == '=' ? "\\le" : sign, number);
    case FormulaLanguage::kText:
      break;
  }
  return fmt::format("[{} {} {}]", column, sign, number);
}

std::string Log2Text(const std::string& column, const Syntax& syntax) {
  switch (syntax.language) {
    case FormulaLanguage::kPython:
      return fmt::format("math.log2(max({}, 1.0))", column);
    case FormulaLanguage::kCpp:
      return fmt::format("std::log2(std::max({}, 1.0))", column);
    case FormulaLanguage::kLatex:
      return fmt::format("\\log_2({})", column);
    case FormulaLanguage::kText:
      break;
  }
  return fmt::format("log2({})", column);
}

std::string ExcessText(const std::string& column, const std::string& number, const Syntax& syntax) {
  switch (syntax.language) {
    case FormulaLanguage::kPython:
      return fmt::format("max({} - {}, 0.0)", column, number);
    case FormulaLanguage::kCpp:
      return fmt::format("std::max({} - {}, 0.0)", column, number);
    case FormulaLanguage::kLatex:
      return fmt::format("\\max({} - {}, 0)", column, number);
    case FormulaLanguage::kText:
      break;
  }
  return fmt::format("max({} - {}, 0)", column, number);
}

std::string FactorText(const LawFactor& factor, const Syntax& syntax) {
  const std::string& column = syntax.columns[factor.column];
  switch (factor.form) {
    case LawFactor::Form::kPower:
      return factor.number == 1 ? column : PowerText(column, factor.number, syntax);
    case LawFactor::Form::kLog2:
      return factor.number == 1 ? Log2Text(column, syntax)
                                : PowerText(Log2Text(column, syntax), factor.number, syntax);
    case LawFactor::Form::kExcess:
      return ExcessText(column, syntax.Number(factor.number), syntax);
    case LawFactor::Form::kAbove:
      return TestText(column, ">", syntax.Number(factor.number), syntax);
    case LawFactor::Form::kUpTo:
      return TestText(column, "<=", syntax.Number(factor.number), syntax);
  }
  return "";
}

std::string Times(const Syntax& syntax) {
  return syntax.language == FormulaLanguage::kLatex ? " \\cdot " : " * ";
}

std::string Powered(const std::string& text, const std::string& power, const Syntax& syntax) {
  const bool latex = syntax.language == FormulaLanguage::kLatex;
  return latex ? fmt::format("\\left({}\\right)^{{{}}}", text, power)
               : fmt::format("({})^{}", text, power);
}

}  // namespace

std::string PartText(const ScalingLaw& law, LawPart part, const Syntax& syntax) {
  std::vector<std::string> terms;
  for (const LawTerm& term : law.terms) {
    if (term.part != part || term.coefficient == 0) continue;
    std::string text = syntax.Number(term.coefficient * term.scale);
    for (const LawFactor& factor : term.factors) text += Times(syntax) + FactorText(factor, syntax);
    terms.push_back(std::move(text));
  }
  return terms.empty() ? syntax.Number(0) : base::Join(terms, " + ");
}

std::string ScalingLawText(const ScalingLaw& law, const Schema& schema, const Syntax& syntax) {
  const bool latex = syntax.language == FormulaLanguage::kLatex;
  const std::string line = latex ? " " : "\n      ";
  std::string compute = PartText(law, LawPart::kCompute, syntax);
  std::string exchange = PartText(law, LawPart::kExchange, syntax);
  if (law.machine) {
    std::string own = "(" + exchange + ")";
    for (size_t level = 0; level < law.exchange.size(); ++level) {
      if (law.exchange[level] == 1) continue;
      const LawInput input{LawInput::Form::kLevel, *law.machine, level, 0, 0};
      own += Times(syntax) + InputText(input, std::log(law.exchange[level]), schema, syntax);
    }
    exchange = std::move(own);
  }
  std::string text;
  if (law.overlap == 1) {
    text = "( " + compute + line + "+ " + exchange + " )";
  } else {
    const std::string g = syntax.Number(law.overlap);
    text = Powered(Powered(compute, g, syntax) + line + "+ " + Powered(exchange, g, syntax),
                   latex ? "1/" + g : "(1/" + g + ")", syntax);
  }
  for (size_t j = 0; j < law.inputs.size(); ++j) {
    if (std::fabs(law.weights[j]) < 1e-6) continue;
    text += (latex ? Times(syntax) : line + "* ") +
            InputText(law.inputs[j], law.weights[j], schema, syntax);
  }
  return text;
}

std::string InputText(const LawInput& input, double weight, const Schema& schema,
                      const Syntax& syntax) {
  const bool latex = syntax.language == FormulaLanguage::kLatex;
  const std::string& column = syntax.columns[input.column];
  const auto power = [&](const std::string& what, const std::string& exponent) {
    return latex ? fmt::format("{}^{{{}}}", what, exponent) : fmt::format("{}^{}", what, exponent);
  };
  switch (input.form) {
    case LawInput::Form::kLog:
      return power(column, syntax.Number(weight));
    case LawInput::Form::kRaw:
      return power(syntax.Number(std::exp(weight)),
                   fmt::format("(({} - {})/{})", column, syntax.Number(input.low),
                               syntax.Number(std::max(input.high - input.low, 1e-300))));
    case LawInput::Form::kLevel:
      return power(syntax.Number(std::exp(weight)),
                   syntax.LevelText(input.column, schema.inputs[input.column].levels[input.level]));
    case LawInput::Form::kThreshold:
      return power(syntax.Number(std::exp(weight)),
                   fmt::format("[{} > {}]", column, syntax.Number(input.low)));
  }
  return "";
}

}  // namespace reckon::predict
