#include "predict/formula_writer.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/text.h"
#include "base/units.h"
#include "learn/regressors/blend.h"
#include "predict/formula_code.h"
#include "predict/formula_syntax.h"
#include "predict/law_writer.h"
#include "predict/scaling_law_writer.h"

namespace reckon::predict {
namespace {

using learn::Factor;
using learn::LawInput;
using learn::LinearFormula;
using learn::Model;
using learn::PowersFormula;
using learn::Schema;
using learn::Term;
using learn::TreeFormula;
using learn::TreeNode;

std::string LinearText(const LinearFormula& formula, const Schema& schema, const Syntax& syntax) {
  std::string text = syntax.Number(formula.intercept);
  const std::string times = syntax.language == FormulaLanguage::kLatex ? " \\cdot " : " * ";
  for (size_t i = 0; i < formula.terms.size(); ++i) {
    const double weight = formula.weights[i];
    if (weight == 0) continue;
    text += syntax.language == FormulaLanguage::kLatex ? " " : "\n      ";
    text += weight < 0 ? "- " : "+ ";
    text += syntax.Number(std::fabs(weight)) + times + syntax.TermText(formula.terms[i], schema);
  }
  return text;
}

// What sends a row to the left.
std::string TestText(const TreeFormula& tree, const TreeNode& node, const Schema& schema,
                     const Syntax& syntax) {
  const Term& term = tree.terms[static_cast<size_t>(node.term)];
  if (term.factors.size() == 1 && term.factors.front().form == Factor::Form::kLevel) {
    const Factor& level = term.factors.front();
    return fmt::format("{} is not {}", syntax.columns[level.column],
                       OneLine(schema.inputs[level.column].levels[level.level]));
  }
  return syntax.TermText(term, schema) + " <= " + syntax.Number(node.threshold);
}

void AppendTree(const TreeFormula& tree, size_t id, size_t depth, const Schema& schema,
                const Syntax& syntax, std::string& out) {
  const TreeNode& node = tree.nodes[id];
  const std::string indent(4 + 2 * depth, ' ');
  if (node.left < 0) {
    out += fmt::format("{}{}  ({})\n", indent, syntax.Number(node.value),
                       base::Count(static_cast<uint64_t>(node.rows), "row"));
    return;
  }
  out += fmt::format("{}if {}\n", indent, TestText(tree, node, schema, syntax));
  AppendTree(tree, static_cast<size_t>(node.left), depth + 1, schema, syntax, out);
  out += indent + "else\n";
  AppendTree(tree, static_cast<size_t>(node.right), depth + 1, schema, syntax, out);
}

// A further factor, of which a page of numbers would say less than its size.
std::string CorrectionText(const learn::CorrectionSize& size, const Syntax& syntax) {
  const std::string by = size.trees > 0     ? base::Count(size.trees, "tree")
                         : size.centres > 0 ? "nearness to " + base::Count(size.centres, "row")
                                            : "";
  if (by.empty()) return by;
  const bool latex = syntax.language == FormulaLanguage::kLatex;
  return (latex ? " \\cdot " : "\n      * ") + syntax.Name("what") + "(" + by + ")";
}

// The target itself, not its log.
std::string PowersText(const PowersFormula& formula, const Schema& schema, const Syntax& syntax) {
  const bool latex = syntax.language == FormulaLanguage::kLatex;
  const std::string times = latex ? " \\cdot " : " * ";
  const double p = formula.law.sharpness;
  std::string sum;
  for (Eigen::Index k = 0; k < formula.law.weights.rows(); ++k) {
    std::string term = syntax.Number(std::exp(formula.law.weights(k, 0)));
    Eigen::Index at = 1;
    const auto multiply = [&](const std::vector<LawInput>& inputs) {
      for (const LawInput& input : inputs) {
        const double weight = formula.law.weights(k, at++);
        if (std::fabs(weight) > 1e-6) term += times + InputText(input, weight, schema, syntax);
      }
    };
    multiply(formula.inputs.scaling);
    if (formula.levels_apart) multiply(formula.inputs.levels);
    if (k > 0) sum += latex ? " + " : "\n      + ";
    sum += p == 1 ? term
                  : fmt::format(fmt::runtime(latex ? "({})^{{{}}}" : "({})^{}"), term,
                                syntax.Number(p));
  }
  std::string text = p == 1 ? "( " + sum + " )"
                            : fmt::format(fmt::runtime(latex ? "( {} )^{{1/{}}}" : "( {} )^(1/{})"),
                                          sum, syntax.Number(p));
  if (!formula.levels_apart) {
    for (size_t j = 0; j < formula.inputs.levels.size(); ++j) {
      const double weight = formula.law.shared(static_cast<Eigen::Index>(j));
      text += (latex ? times : "\n      * ") +
              InputText(formula.inputs.levels[j], weight, schema, syntax);
    }
  }
  text += CorrectionText(formula.correction, syntax);
  return text;
}

std::string EnsembleText(const learn::EnsembleFormula& formula, const Schema& schema,
                         const Syntax& syntax) {
  std::vector<std::string> names;
  for (const Term& term : formula.terms) names.push_back(syntax.TermText(term, schema));
  return fmt::format("{} + {} over {}", syntax.Number(formula.base),
                     base::Count(formula.trees.size(), "tree"), base::Join(names, ", "));
}

// The line in full; of the bumps, how many there are and over what: a page of numbers says less.
std::string KernelText(const learn::KernelFormula& formula, const Schema& schema,
                       const Syntax& syntax) {
  std::vector<std::string> names;
  for (const Term& term : formula.line.terms) names.push_back(syntax.TermText(term, schema));
  const bool latex = syntax.language == FormulaLanguage::kLatex;
  const bool gaussian = formula.shape == learn::KernelFormula::Shape::kGaussian;
  return LinearText(formula.line, schema, syntax) + (latex ? " + " : "\n      + ") +
         syntax.Name(fmt::format("{} around training rows",
                                 base::Count(formula.coefficients.size(),
                                             gaussian ? "Gaussian bump" : "Matern 5/2 bump"))) +
         (latex ? "(" : " over ") + base::Join(names, ", ") + (latex ? ")" : "");
}

std::string FittedText(const learn::Fitted& fitted, const Schema& schema, const Syntax& syntax) {
  const bool latex = syntax.language == FormulaLanguage::kLatex;
  const learn::Formula formula = fitted.predictor->ToFormula();
  const std::string target = syntax.Name(schema.target);
  if (const auto* powers = std::get_if<PowersFormula>(&formula)) {
    return target + " = " + PowersText(*powers, schema, syntax) + "\n";
  }
  if (const auto* law = std::get_if<learn::ScalingLawFormula>(&formula)) {
    return target + " = " + ScalingLawText(*law, schema, syntax) +
           CorrectionText(law->correction, syntax) + "\n";
  }
  if (const auto* blend = dynamic_cast<const learn::BlendPredictor*>(fitted.predictor.get())) {
    const bool logs = blend->scale() == learn::TargetScale::kLog;
    std::string text = fmt::format("{} = {}mean of {}\n", target, logs ? "geometric " : "",
                                   base::Count(blend->members().size(), "model"));
    for (const learn::BlendMember& member : blend->members()) {
      text += fmt::format("\n{}{:.0f} % {}: {}\n", latex ? "% " : "", 100 * member.weight,
                          member.fitted.candidate.technique, member.fitted.candidate.Describe());
      text += FittedText(member.fitted, schema, syntax);
    }
    return text;
  }
  std::string left = target;
  if (fitted.candidate.scale == learn::TargetScale::kLog) {
    left = latex ? "\\ln(" + target + ")" : "log(" + target + ")";
  }
  if (const auto* linear = std::get_if<LinearFormula>(&formula)) {
    return left + " = " + LinearText(*linear, schema, syntax) + "\n";
  }
  if (const auto* law = std::get_if<learn::PowerLawFormula>(&formula)) {
    return left + " = " + LawText(*law, schema, syntax) + "\n";
  }
  if (const auto* ensemble = std::get_if<learn::EnsembleFormula>(&formula)) {
    return left + " = " + EnsembleText(*ensemble, schema, syntax) + "\n";
  }
  if (const auto* kernel = std::get_if<learn::KernelFormula>(&formula)) {
    return left + " = " + KernelText(*kernel, schema, syntax) + "\n";
  }
  std::string tree;
  const Syntax words(FormulaLanguage::kText, schema);
  AppendTree(std::get<TreeFormula>(formula), 0, 0, schema, words, tree);
  if (latex) {
    return left + " = \\text{by this tree:}\n\\begin{verbatim}\n" + tree + "\\end{verbatim}\n";
  }
  return left + " =\n" + tree;
}

}  // namespace

base::Result<FormulaLanguage> ParseFormulaLanguage(const std::string& name) {
  if (name == "text") return FormulaLanguage::kText;
  if (name == "latex") return FormulaLanguage::kLatex;
  if (name == "python") return FormulaLanguage::kPython;
  if (name == "cpp") return FormulaLanguage::kCpp;
  return base::BadInput(
      fmt::format("unknown format '{}'; expected text, latex, python or cpp", name));
}

std::string WriteFormula(const Model& model, FormulaLanguage language) {
  const Syntax syntax(language, model.schema);
  return syntax.is_code() ? FormulaCode(model, language)
                          : FittedText(model.fitted, model.schema, syntax);
}

}  // namespace reckon::predict
