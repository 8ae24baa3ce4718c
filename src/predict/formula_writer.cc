#include "predict/formula_writer.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/text.h"
#include "predict/formula_syntax.h"
#include "predict/law_writer.h"

namespace reckon::predict {
namespace {

using learn::Factor;
using learn::LinearFormula;
using learn::Model;
using learn::PowerLawFormula;
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
  const Factor& first = term.factors.front();
  if (syntax.language == FormulaLanguage::kText && term.factors.size() == 1 &&
      first.form == Factor::Form::kLevel) {
    return fmt::format("{} is not {}", syntax.columns[first.column],
                       OneLine(schema.inputs[first.column].levels[first.level]));
  }
  return syntax.TermText(term, schema) + " <= " + syntax.Number(node.threshold);
}

void AppendTree(const TreeFormula& tree, size_t id, int depth, const Schema& schema,
                const Syntax& syntax, std::string& out) {
  const TreeNode& node = tree.nodes[id];
  const std::string indent(static_cast<size_t>(4 + 2 * depth), ' ');
  const bool code = syntax.is_code();
  const bool cpp = syntax.language == FormulaLanguage::kCpp;
  if (node.left < 0) {
    out += indent + (code ? "value = " : "") + syntax.Number(node.value) + (cpp ? ";" : "");
    if (!code) out += fmt::format("  ({})", base::Count(node.rows, "row"));
    out += "\n";
    return;
  }
  const std::string test = TestText(tree, node, schema, syntax);
  out += indent + (cpp ? "if (" + test + ") {" : "if " + test + (code ? ":" : "")) + "\n";
  AppendTree(tree, static_cast<size_t>(node.left), depth + 1, schema, syntax, out);
  out += indent + (cpp ? "} else {" : (code ? "else:" : "else")) + "\n";
  AppendTree(tree, static_cast<size_t>(node.right), depth + 1, schema, syntax, out);
  if (cpp) out += indent + "}\n";
}

bool UsedBy(const learn::Formula& formula, size_t column) {
  if (const auto* law = std::get_if<PowerLawFormula>(&formula)) return LawUses(*law, column);
  const auto* linear = std::get_if<LinearFormula>(&formula);
  const std::vector<Term>& terms =
      linear != nullptr ? linear->terms : std::get<TreeFormula>(formula).terms;
  return std::any_of(terms.begin(), terms.end(), [&](const Term& term) {
    return std::any_of(term.factors.begin(), term.factors.end(),
                       [&](const Factor& factor) { return factor.column == column; });
  });
}

std::string CodeFunction(const Model& model, const learn::Formula& formula, const Syntax& syntax) {
  const bool cpp = syntax.language == FormulaLanguage::kCpp;
  const std::string comment = cpp ? "// " : "# ";
  std::string out =
      comment + fmt::format("{} by {}; {} rows, data {}\n", model.schema.target,
                            model.fitted.candidate.technique, model.rows, model.data_fingerprint);
  std::vector<std::string> arguments;
  for (size_t j = 0; j < model.schema.inputs.size(); ++j) {
    const learn::InputColumn& input = model.schema.inputs[j];
    const bool category = input.kind == core::ColumnKind::kCategory;
    if (!UsedBy(formula, j)) continue;
    out += comment + syntax.columns[j] + ": " + OneLine(input.name) + "\n";
    const std::string type = category ? "std::string_view " : "double ";
    arguments.push_back((cpp ? type : "") + syntax.columns[j]);
  }
  out += cpp ? "#include <algorithm>\n#include <cmath>\n#include <string_view>\n\n"
             : "import math\n\n";
  out += (cpp ? "double Predict(" : "def predict(") + base::Join(arguments, ", ") +
         (cpp ? ") {\n" : "):\n");
  if (const auto* linear = std::get_if<LinearFormula>(&formula)) {
    const std::string sum = LinearText(*linear, model.schema, syntax);
    out += cpp ? "    double value = " + sum + ";\n" : "    value = (" + sum + ")\n";
  } else if (const auto* law = std::get_if<PowerLawFormula>(&formula)) {
    const std::string value = LawText(*law, model.schema, syntax);
    out += cpp ? "    double value = " + value + ";\n" : "    value = (" + value + ")\n";
  } else {
    if (cpp) out += "    double value = 0;\n";
    AppendTree(std::get<TreeFormula>(formula), 0, 0, model.schema, syntax, out);
  }
  if (model.fitted.candidate.scale == learn::TargetScale::kLog) {
    out += cpp ? "    value = std::exp(std::min(value, 700.0));\n"
               : "    value = math.exp(min(value, 700.0))\n";
  }
  const std::string lowest = syntax.Number(model.fitted.range.Lowest());
  const std::string highest = syntax.Number(model.fitted.range.Highest());
  out += cpp ? fmt::format("    return std::min(std::max(value, {}), {});\n", lowest, highest)
             : fmt::format("    return min(max(value, {}), {})\n", lowest, highest);
  return out + (cpp ? "}\n" : "");
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
  const learn::Formula formula = model.fitted.predictor->ToFormula();
  const Syntax syntax(language, model.schema);
  if (syntax.is_code()) return CodeFunction(model, formula, syntax);
  const bool latex = language == FormulaLanguage::kLatex;
  const bool log_scale = model.fitted.candidate.scale == learn::TargetScale::kLog;
  const std::string target = syntax.Name(model.schema.target);
  std::string left = target;
  if (log_scale) left = latex ? "\\ln(" + target + ")" : "log(" + target + ")";
  if (const auto* linear = std::get_if<LinearFormula>(&formula)) {
    return left + " = " + LinearText(*linear, model.schema, syntax) + "\n";
  }
  if (const auto* law = std::get_if<PowerLawFormula>(&formula)) {
    return left + " = " + LawText(*law, model.schema, syntax) + "\n";
  }
  std::string tree;
  const Syntax words(FormulaLanguage::kText, model.schema);
  AppendTree(std::get<TreeFormula>(formula), 0, 0, model.schema, words, tree);
  if (latex)
    return left + " = \\text{by this tree:}\n\\begin{verbatim}\n" + tree + "\\end{verbatim}\n";
  return left + " =\n" + tree;
}

}  // namespace reckon::predict
