#include "predict/formula_code.h"

#include <cmath>

#include <fmt/format.h>

#include "base/text.h"
#include "learn/regressors/blend.h"
#include "learn/trees/ensemble.h"
#include "predict/code_lines.h"
#include "predict/law_code.h"
#include "predict/law_writer.h"

namespace reckon::predict {
namespace {

using learn::Fitted;
using learn::Schema;
using learn::TreeNode;

// A predictor becomes a function that returns its value, so that a model made of models is a
// function made of functions.
class CodeWriter {
 public:
  CodeWriter(FormulaLanguage language, const Schema& schema)
      : lines_(language, schema), schema_(schema), syntax_(lines_.syntax), cpp_(lines_.cpp) {}

  std::string Write(const learn::Model& model) {
    lines_.Line(lines_.Comment(fmt::format(
        "{} by {}; {}, data {}", OneLine(schema_.target), model.fitted.candidate.technique,
        base::Count(model.rows, "row"), model.data_fingerprint)));
    for (size_t j = 0; j < schema_.inputs.size(); ++j) {
      lines_.Line(lines_.Comment(syntax_.columns[j] + ": " + OneLine(schema_.inputs[j].name)));
    }
    if (cpp_) {
      for (const char* header : {"algorithm", "cmath", "string_view", "vector"}) {
        lines_.Line(fmt::format("#include <{}>", header));
      }
    } else {
      lines_.Line("import math");
    }
    lines_.Line("");
    lines_.Begin(cpp_ ? "Predict" : "predict");
    Model(model.fitted);
    lines_.End();
    return lines_.Take();
  }

 private:
  // The body of a function that returns the fitted model's prediction in the target's unit.
  void Model(const Fitted& fitted) {
    lines_.Begin("value");
    Body(*fitted.predictor);
    lines_.End();
    std::string value = lines_.CallPlain("value");
    if (fitted.candidate.scale == learn::TargetScale::kLog) {
      value = fmt::format("{}({})", lines_.Math("exp"), lines_.Min(value, "700.0"));
    }
    lines_.Return(lines_.Min(lines_.Max(value, syntax_.Number(fitted.range.Lowest())),
                             syntax_.Number(fitted.range.Highest())));
  }

  void Body(const learn::Predictor& predictor) {
    const learn::Formula formula = predictor.ToFormula();
    if (const auto* linear = std::get_if<learn::LinearFormula>(&formula)) {
      Linear(*linear);
    } else if (const auto* tree = std::get_if<learn::TreeFormula>(&formula)) {
      Trees(tree->terms, 0, {tree->nodes});
    } else if (const auto* ensemble = std::get_if<learn::EnsembleFormula>(&formula)) {
      Trees(ensemble->terms, ensemble->base, ensemble->trees);
    } else if (const auto* kernel = std::get_if<learn::KernelFormula>(&formula)) {
      Kernel(*kernel);
    } else if (const auto* law = std::get_if<learn::PowerLawFormula>(&formula)) {
      const std::string text = LawText(*law, schema_, syntax_);
      lines_.Return(cpp_ ? text : "(" + text + ")");  // over several lines
    } else if (const auto* scaling = dynamic_cast<const learn::ScalingLawPredictor*>(&predictor)) {
      WriteScalingLaw(*scaling, lines_, [this](const learn::Predictor& part) { Body(part); });
    } else if (const auto* powers = dynamic_cast<const learn::PowersPredictor*>(&predictor)) {
      WritePowers(*powers, lines_, [this](const learn::Predictor& part) { Body(part); });
    } else if (const auto* blend = dynamic_cast<const learn::BlendPredictor*>(&predictor)) {
      Blend(*blend);
    }
  }

  void Linear(const learn::LinearFormula& formula) { lines_.Return(LinearSum(formula)); }

  std::string LinearSum(const learn::LinearFormula& formula) const {
    std::string sum = syntax_.Number(formula.intercept);
    for (size_t i = 0; i < formula.terms.size(); ++i) {
      if (formula.weights[i] == 0) continue;
      sum += fmt::format(" {} {} * {}", formula.weights[i] < 0 ? "-" : "+",
                         syntax_.Number(std::fabs(formula.weights[i])),
                         syntax_.TermText(formula.terms[i], schema_));
    }
    return sum;
  }

  void Kernel(const learn::KernelFormula& formula) {
    std::vector<std::string> features;
    for (size_t t = 0; t < formula.scale.size(); ++t) {
      features.push_back(syntax_.Number(formula.scale[t]) + " * " +
                         syntax_.TermText(formula.line.terms[t], schema_));
    }
    lines_.List("f", features);
    // A row: the coefficient of a centre, then its terms.
    lines_.Line(cpp_ ? "static const std::vector<std::vector<double>> centres{" : "centres = (");
    lines_.Indent();
    for (size_t i = 0; i < formula.coefficients.size(); ++i) {
      std::vector<std::string> row{syntax_.Number(formula.coefficients[i])};
      for (const double cell : formula.centres.col(static_cast<Eigen::Index>(i))) {
        row.push_back(syntax_.Number(cell));
      }
      lines_.Line(fmt::format(fmt::runtime(cpp_ ? "{{{}}}," : "({}),"), base::Join(row, ", ")));
    }
    lines_.Dedent();
    lines_.Line(cpp_ ? "};" : ")");
    lines_.Line((cpp_ ? "double sum = " : "sum = ") + LinearSum(formula.line) + (cpp_ ? ";" : ""));
    const bool gaussian = formula.shape == learn::KernelFormula::Shape::kGaussian;
    if (cpp_) {
      lines_.Line("for (const std::vector<double>& centre : centres) {");
      lines_.Line("    double square = 0;");
      lines_.Line("    for (size_t t = 0; t < f.size(); ++t) {");
      lines_.Line("        square += (f[t] - centre[t + 1]) * (f[t] - centre[t + 1]);");
      lines_.Line("    }");
      if (!gaussian) lines_.Line("    const double r = std::sqrt(5 * square);");
      lines_.Line(gaussian ? "    sum += centre[0] * std::exp(-square);"
                           : "    sum += centre[0] * (1 + r + r * r / 3) * std::exp(-r);");
      lines_.Line("}");
    } else {
      lines_.Line("for centre in centres:");
      lines_.Line("    square = 0.0");
      lines_.Line("    for t in range(len(f)):");
      lines_.Line("        square += (f[t] - centre[t + 1]) ** 2");
      if (!gaussian) lines_.Line("    r = math.sqrt(5 * square)");
      lines_.Line(gaussian ? "    sum += centre[0] * math.exp(-square)"
                           : "    sum += centre[0] * (1 + r + r * r / 3) * math.exp(-r)");
    }
    lines_.Return("sum");
  }

  void Trees(const std::vector<learn::Term>& terms, double base,
             const std::vector<std::vector<TreeNode>>& trees) {
    std::vector<std::string> features;
    for (const learn::Term& term : terms) features.push_back(syntax_.TermText(term, schema_));
    lines_.List("f", features);
    if (cpp_) {
      lines_.Line("struct Node { int f; double t; int l, r; double v; };");
      lines_.Line("static const std::vector<std::vector<Node>> trees{");
    } else {
      lines_.Line("trees = (");
    }
    lines_.Indent();
    for (const auto& tree : trees) {
      std::vector<std::string> nodes;
      for (const TreeNode& node : tree) {
        nodes.push_back(fmt::format("{}{}, {}, {}, {}, {}{}", cpp_ ? "{" : "(",
                                    node.left < 0 ? -1 : node.term,
                                    syntax_.Number(node.left < 0 ? 0 : node.threshold), node.left,
                                    node.right, syntax_.Number(node.value), cpp_ ? "}" : ")"));
      }
      lines_.Line(fmt::format(fmt::runtime(cpp_ ? "{{{}}}," : "({},),"), base::Join(nodes, ", ")));
    }
    lines_.Dedent();
    lines_.Line(cpp_ ? "};" : ")");
    lines_.Line(cpp_ ? fmt::format("double sum = {};", syntax_.Number(base))
                     : fmt::format("sum = {}", syntax_.Number(base)));
    if (cpp_) {
      lines_.Line("for (const std::vector<Node>& tree : trees) {");
      lines_.Line("    const Node* node = &tree[0];");
      lines_.Line(
          "    while (node->f >= 0) node = &tree[f[node->f] <= node->t ? node->l : node->r];");
      lines_.Line("    sum += node->v;");
      lines_.Line("}");
    } else {
      lines_.Line("for tree in trees:");
      lines_.Line("    node = tree[0]");
      lines_.Line("    while node[0] >= 0:");
      lines_.Line("        node = tree[node[2] if f[node[0]] <= node[1] else node[3]]");
      lines_.Line("    sum += node[4]");
    }
    lines_.Return("sum");
  }

  void Blend(const learn::BlendPredictor& blend) {
    std::string sum;
    for (size_t i = 0; i < blend.members().size(); ++i) {
      const learn::BlendMember& member = blend.members()[i];
      const std::string name = fmt::format("model{}", i + 1);
      lines_.Line(lines_.Comment(fmt::format("{}: {}", member.fitted.candidate.technique,
                                             OneLine(member.fitted.candidate.Describe()))));
      lines_.Begin(name);
      Model(member.fitted);
      lines_.End();
      const std::string value = lines_.CallPlain(name);
      sum += fmt::format("{}{} * {}", i == 0 ? "" : " + ", syntax_.Number(member.weight),
                         blend.scale() == learn::TargetScale::kLog
                             ? fmt::format("{}({})", lines_.Math("log"), value)
                             : value);
    }
    lines_.Return(sum);
  }

  CodeLines lines_;
  const Schema& schema_;
  const Syntax& syntax_;
  bool cpp_;
};

}  // namespace

std::string FormulaCode(const learn::Model& model, FormulaLanguage language) {
  return CodeWriter(language, model.schema).Write(model);
}

}  // namespace reckon::predict
