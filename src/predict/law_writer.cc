#include "predict/law_writer.h"

#include <fmt/format.h>

#include "base/text.h"

namespace reckon::predict {
namespace {

using learn::PowerLawFormula;
using learn::Schema;

// The constant of a category's level, as a choice.
std::string LevelsText(const PowerLawFormula::Levels& levels, const Schema& schema,
                       const Syntax& syntax) {
  const learn::InputColumn& input = schema.inputs[levels.column];
  const std::string& name = syntax.columns[levels.column];
  const std::string other = syntax.Number(levels.other);
  std::vector<std::string> choices;
  for (size_t l = 0; l < input.levels.size(); ++l) {
    const std::string number = syntax.Number(levels.constants[l]);
    const std::string& level = input.levels[l];
    switch (syntax.language) {
      case FormulaLanguage::kLatex:
        choices.push_back(fmt::format("{} & {} = \\text{{{}}}", number, name, LatexEscaped(level)));
        break;
      case FormulaLanguage::kPython:
        choices.push_back(syntax.Quoted(level) + ": " + number);
        break;
      case FormulaLanguage::kCpp:
        choices.push_back(fmt::format("{} == {} ? {} : ", name, syntax.Quoted(level), number));
        break;
      case FormulaLanguage::kText:
        choices.push_back(fmt::format("{} {}", OneLine(level), number));
        break;
    }
  }
  switch (syntax.language) {
    case FormulaLanguage::kLatex:
      return fmt::format("\\begin{{cases}} {} \\\\ {} & \\text{{otherwise}} \\end{{cases}}",
                         base::Join(choices, " \\\\ "), other);
    case FormulaLanguage::kPython:
      return fmt::format("{{{}}}.get({}, {})", base::Join(choices, ", "), name, other);
    case FormulaLanguage::kCpp:
      return fmt::format("({}{})", base::Join(choices, ""), other);
    case FormulaLanguage::kText:
      break;
  }
  return fmt::format("[{}: {}; other {}]", name, base::Join(choices, ", "), other);
}

}  // namespace

std::string PowerText(const std::string& what, double power, const Syntax& syntax) {
  const std::string number = syntax.Number(power);
  switch (syntax.language) {
    case FormulaLanguage::kLatex:
      return fmt::format("{{{}}}^{{{}}}", what, number);
    case FormulaLanguage::kPython:
      return fmt::format("{} ** {}", what, number);
    case FormulaLanguage::kCpp:
      return fmt::format("std::pow({}, {})", what, number);
    case FormulaLanguage::kText:
      break;
  }
  return fmt::format("{}^{}", what, number);
}

std::string LawText(const PowerLawFormula& law, const Schema& schema, const Syntax& syntax) {
  const bool latex = syntax.language == FormulaLanguage::kLatex;
  const std::string times = latex ? " \\cdot " : " * ";
  std::vector<std::string> parts;
  if (law.base != 0) parts.push_back(syntax.Number(law.base));
  for (const auto& term : law.intrinsic) {
    if (term.factor == 0) continue;
    parts.push_back(syntax.Number(term.factor) + times +
                    PowerText(syntax.columns[term.column], term.power, syntax));
  }
  for (const auto& levels : law.levels) parts.push_back(LevelsText(levels, schema, syntax));
  if (parts.empty()) parts.push_back(syntax.Number(0));
  const std::string line = latex ? " " : "\n      ";
  std::string text =
      (latex ? "\\left(" : "(") + base::Join(parts, line + "+ ") + (latex ? "\\right)" : ")");
  for (const auto& term : law.extrinsic) {
    text += line + (latex ? "\\cdot " : "* ") +
            PowerText(syntax.columns[term.column], term.power, syntax);
  }
  return text + line + "+ " + syntax.Number(law.constant);
}

}  // namespace reckon::predict
