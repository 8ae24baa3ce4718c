#include "predict/formula_code.h"

#include <cmath>

#include <fmt/format.h>

#include "base/text.h"
#include "learn/laws/powers_predictor.h"
#include "learn/regressors/blend.h"
#include "learn/trees/ensemble.h"
#include "predict/formula_syntax.h"
#include "predict/law_writer.h"
#include "predict/scaling_law_writer.h"

namespace reckon::predict {
namespace {

using learn::Fitted;
using learn::LawInput;
using learn::Schema;
using learn::TreeNode;

// Writes nested functions: a predictor becomes one that returns its value, so that a model made of
// models is a function made of functions. Parameters have the names of the columns everywhere.
class CodeWriter {
 public:
  CodeWriter(FormulaLanguage language, const Schema& schema)
      : schema_(schema), syntax_(language, schema), cpp_(language == FormulaLanguage::kCpp) {}

  std::string Write(const learn::Model& model) {
    Line(Comment(fmt::format("{} by {}; {}, data {}", OneLine(schema_.target),
                             model.fitted.candidate.technique, base::Count(model.rows, "row"),
                             model.data_fingerprint)));
    for (size_t j = 0; j < schema_.inputs.size(); ++j) {
      Line(Comment(syntax_.columns[j] + ": " + OneLine(schema_.inputs[j].name)));
    }
    if (cpp_) {
      for (const char* header : {"algorithm", "cmath", "string_view", "vector"}) {
        Line(fmt::format("#include <{}>", header));
      }
    } else {
      Line("import math");
    }
    Line("");
    Begin(cpp_ ? "Predict" : "predict");
    Model(model.fitted);
    End();
    return std::move(out_);
  }

 private:
  std::string Comment(const std::string& text) const { return (cpp_ ? "// " : "# ") + text; }
  void Line(const std::string& text) {
    if (!text.empty()) out_.append(depth_ * 4, ' ');
    out_ += text + "\n";
  }

  std::string Parameters() const {
    std::vector<std::string> names;
    for (size_t j = 0; j < schema_.inputs.size(); ++j) {
      const bool category = schema_.inputs[j].kind == core::ColumnKind::kCategory;
      const std::string type = category ? "std::string_view " : "double ";
      names.push_back((cpp_ ? type : "") + syntax_.columns[j]);
    }
    return base::Join(names, ", ");
  }

  // A function of all columns; inside another one, a local function.
  void Begin(const std::string& name) {
    if (!cpp_) {
      Line(fmt::format("def {}({}):", name, Parameters()));
    } else if (depth_ == 0) {
      Line(fmt::format("double {}({}) {{", name, Parameters()));
    } else {
      Line(fmt::format("const auto {} = []({}) -> double {{", name, Parameters()));
    }
    ++depth_;
  }
  void End() {
    --depth_;
    if (cpp_) Line(depth_ == 0 ? "}" : "};");
  }
  std::string Call(const std::string& name, std::vector<std::string> arguments) const {
    for (size_t j = 0; j < arguments.size(); ++j) {
      if (arguments[j].empty()) arguments[j] = syntax_.columns[j];
    }
    return fmt::format("{}({})", name, base::Join(arguments, ", "));
  }
  std::string CallPlain(const std::string& name) const {
    return Call(name, std::vector<std::string>(schema_.inputs.size()));
  }
  void Set(const std::string& name, const std::string& value) {
    Line(cpp_ ? fmt::format("const double {} = {};", name, value)
              : fmt::format("{} = {}", name, value));
  }
  void Return(const std::string& value) {
    Line(cpp_ ? fmt::format("return {};", value) : "return " + value);
  }
  std::string Math(const char* function) const {
    return std::string(cpp_ ? "std::" : "math.") + function;
  }
  std::string Min(const std::string& a, const std::string& b) const {
    return fmt::format("{}({}, {})", cpp_ ? "std::min" : "min", a, b);
  }
  std::string Max(const std::string& a, const std::string& b) const {
    return fmt::format("{}({}, {})", cpp_ ? "std::max" : "max", a, b);
  }

  // The body of a function that returns the fitted model's prediction in the target's unit.
  void Model(const Fitted& fitted) {
    Begin("value");
    Body(*fitted.predictor);
    End();
    std::string value = CallPlain("value");
    if (fitted.candidate.scale == learn::TargetScale::kLog) {
      value = fmt::format("{}({})", Math("exp"), Min(value, "700.0"));
    }
    Return(Min(Max(value, syntax_.Number(fitted.range.Lowest())),
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
      Return(cpp_ ? text : "(" + text + ")");  // over several lines
    } else if (const auto* scaling = std::get_if<learn::ScalingLaw>(&formula)) {
      Scaling(*scaling);
    } else if (const auto* powers = dynamic_cast<const learn::PowersPredictor*>(&predictor)) {
      Powers(*powers);
    } else if (const auto* blend = dynamic_cast<const learn::BlendPredictor*>(&predictor)) {
      Blend(*blend);
    }
  }

  void Linear(const learn::LinearFormula& formula) { Return(LinearSum(formula)); }

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

  // "f = [...]": the values of terms, as a list.
  void List(const std::string& name, const std::vector<std::string>& values) {
    Line(fmt::format(fmt::runtime(cpp_ ? "const std::vector<double> {}{{{}}};" : "{} = [{}]"), name,
                     base::Join(values, ", ")));
  }

  void Kernel(const learn::KernelFormula& formula) {
    std::vector<std::string> features;
    for (size_t t = 0; t < formula.scale.size(); ++t) {
      features.push_back(syntax_.Number(formula.scale[t]) + " * " +
                         syntax_.TermText(formula.line.terms[t], schema_));
    }
    List("f", features);
    // A row: the coefficient of a centre, then its terms.
    Line(cpp_ ? "static const std::vector<std::vector<double>> centres{" : "centres = (");
    ++depth_;
    for (size_t i = 0; i < formula.coefficients.size(); ++i) {
      std::vector<std::string> row{syntax_.Number(formula.coefficients[i])};
      for (const double cell : formula.centres.col(static_cast<Eigen::Index>(i))) {
        row.push_back(syntax_.Number(cell));
      }
      Line(fmt::format(fmt::runtime(cpp_ ? "{{{}}}," : "({}),"), base::Join(row, ", ")));
    }
    --depth_;
    Line(cpp_ ? "};" : ")");
    Line((cpp_ ? "double sum = " : "sum = ") + LinearSum(formula.line) + (cpp_ ? ";" : ""));
    const bool gaussian = formula.shape == learn::KernelFormula::Shape::kGaussian;
    if (cpp_) {
      Line("for (const std::vector<double>& centre : centres) {");
      Line("    double square = 0;");
      Line("    for (size_t t = 0; t < f.size(); ++t) {");
      Line("        square += (f[t] - centre[t + 1]) * (f[t] - centre[t + 1]);");
      Line("    }");
      if (!gaussian) Line("    const double r = std::sqrt(5 * square);");
      Line(gaussian ? "    sum += centre[0] * std::exp(-square);"
                    : "    sum += centre[0] * (1 + r + r * r / 3) * std::exp(-r);");
      Line("}");
    } else {
      Line("for centre in centres:");
      Line("    square = 0.0");
      Line("    for t in range(len(f)):");
      Line("        square += (f[t] - centre[t + 1]) ** 2");
      if (!gaussian) Line("    r = math.sqrt(5 * square)");
      Line(gaussian ? "    sum += centre[0] * math.exp(-square)"
                    : "    sum += centre[0] * (1 + r + r * r / 3) * math.exp(-r)");
    }
    Return("sum");
  }

  void Trees(const std::vector<learn::Term>& terms, double base,
             const std::vector<std::vector<TreeNode>>& trees) {
    std::vector<std::string> features;
    for (const learn::Term& term : terms) features.push_back(syntax_.TermText(term, schema_));
    List("f", features);
    if (cpp_) {
      Line("struct Node { int f; double t; int l, r; double v; };");
      Line("static const std::vector<std::vector<Node>> trees{");
    } else {
      Line("trees = (");
    }
    ++depth_;
    for (const auto& tree : trees) {
      std::vector<std::string> nodes;
      for (const TreeNode& node : tree) {
        nodes.push_back(fmt::format("{}{}, {}, {}, {}, {}{}", cpp_ ? "{" : "(",
                                    node.left < 0 ? -1 : node.term,
                                    syntax_.Number(node.left < 0 ? 0 : node.threshold), node.left,
                                    node.right, syntax_.Number(node.value), cpp_ ? "}" : ")"));
      }
      Line(fmt::format(fmt::runtime(cpp_ ? "{{{}}}," : "({},),"), base::Join(nodes, ", ")));
    }
    --depth_;
    Line(cpp_ ? "};" : ")");
    Line(cpp_ ? fmt::format("double sum = {};", syntax_.Number(base))
              : fmt::format("sum = {}", syntax_.Number(base)));
    if (cpp_) {
      Line("for (const std::vector<Node>& tree : trees) {");
      Line("    const Node* node = &tree[0];");
      Line("    while (node->f >= 0) node = &tree[f[node->f] <= node->t ? node->l : node->r];");
      Line("    sum += node->v;");
      Line("}");
    } else {
      Line("for tree in trees:");
      Line("    node = tree[0]");
      Line("    while node[0] >= 0:");
      Line("        node = tree[node[2] if f[node[0]] <= node[1] else node[3]]");
      Line("    sum += node[4]");
    }
    Return("sum");
  }

  std::string InputText(const LawInput& input) const {
    std::string cell = syntax_.columns[input.column];
    switch (input.form) {
      case LawInput::Form::kLog:
        cell = Max(cell, syntax_.Number(std::max(input.low, 1e-300)));
        if (input.high < 1e308) cell = Min(cell, syntax_.Number(input.high));
        return fmt::format("{}({})", Math("log"), cell);
      case LawInput::Form::kRaw:
        if (!(input.high > input.low)) return syntax_.Number(0);
        cell = Min(Max(cell, syntax_.Number(input.low)), syntax_.Number(input.high));
        return fmt::format("({} - {}) / {}", cell, syntax_.Number(input.low),
                           syntax_.Number(input.high - input.low));
      case LawInput::Form::kLevel:
        return syntax_.LevelText(input.column, schema_.inputs[input.column].levels[input.level]);
      case LawInput::Form::kThreshold:
        return fmt::format(fmt::runtime(cpp_ ? "({} > {} ? 1.0 : 0.0)" : "({} > {})"), cell,
                           syntax_.Number(input.low));
    }
    return "";
  }

  std::string WeightedSum(const Eigen::Ref<const numeric::Vector>& weights, double constant,
                          const std::vector<const LawInput*>& inputs) const {
    std::string sum = syntax_.Number(constant);
    for (size_t j = 0; j < inputs.size(); ++j) {
      const double weight = weights(static_cast<Eigen::Index>(j));
      if (weight == 0) continue;
      sum += fmt::format(" {} {} * {}", weight < 0 ? "-" : "+", syntax_.Number(std::fabs(weight)),
                         InputText(*inputs[j]));
    }
    return sum;
  }

  void Powers(const learn::PowersPredictor& predictor) {
    const learn::PowersPredictor::Parts& parts = predictor.parts();
    Begin("law");
    std::vector<const LawInput*> own;
    std::vector<const LawInput*> shared;
    for (const LawInput& input : parts.inputs.scaling) own.push_back(&input);
    for (const LawInput& input : parts.inputs.levels) {
      (parts.levels_apart ? own : shared).push_back(&input);
    }
    std::vector<std::string> names;
    for (Eigen::Index k = 0; k < parts.law.weights.rows(); ++k) {
      names.push_back(fmt::format("u{}", k + 1));
      const numeric::Vector row = parts.law.weights.row(k);
      Set(names.back(), WeightedSum(row.tail(row.size() - 1), row(0), own));
    }
    std::string top = names.front();
    for (size_t k = 1; k < names.size(); ++k) top = Max(top, names[k]);
    Set("top", top);
    const std::string p = syntax_.Number(parts.law.sharpness);
    std::vector<std::string> exponentials;
    for (const std::string& name : names) {
      exponentials.push_back(fmt::format("{}({} * ({} - top))", Math("exp"), p, name));
    }
    Return(fmt::format("top + {}({}) / {} + ({})", Math("log"), base::Join(exponentials, " + "), p,
                       WeightedSum(parts.law.shared, 0, shared)));
    End();
    Limit(parts);
    std::string value = "limited";
    if (parts.residual != nullptr) {
      Begin("residual");
      Body(*parts.residual);
      End();
      std::vector<std::string> held(schema_.inputs.size());
      for (size_t j = 0; j < held.size(); ++j) {
        if (schema_.inputs[j].kind != core::ColumnKind::kNumber) continue;
        held[j] = Min(Max(syntax_.columns[j], syntax_.Number(parts.ranges[j].first)),
                      syntax_.Number(parts.ranges[j].second));
      }
      value += " + " + Call("residual", held);
    }
    Return(value);
  }

  // What ScalingLaw::LogTime does.
  void Scaling(const learn::ScalingLaw& law) {
    using learn::LawPart;
    Set("compute", PartText(law, LawPart::kCompute, syntax_));
    std::string exchange = PartText(law, LawPart::kExchange, syntax_);
    if (law.machine) {
      exchange = "(" + exchange + ")";
      for (size_t level = 0; level < law.exchange.size(); ++level) {
        if (law.exchange[level] == 1) continue;
        const std::string here =
            syntax_.LevelText(*law.machine, schema_.inputs[*law.machine].levels[level]);
        exchange += fmt::format(" * {}", Power(syntax_.Number(law.exchange[level]), here));
      }
    }
    Set("exchange", exchange);
    const std::string least = syntax_.Number(learn::ScalingLaw::kShortest);
    const std::string most = syntax_.Number(learn::ScalingLaw::kLongest);
    if (law.overlap == 1) {
      Set("time", "compute + exchange");
    } else {
      const std::string g = syntax_.Number(law.overlap);
      Set("top", Max(Max("compute", "exchange"), least));
      Set("time",
          fmt::format("top * {}", Power(fmt::format("({} + {})", Power("(compute / top)", g),
                                                    Power("(exchange / top)", g)),
                                        fmt::format("(1.0 / {})", g))));
    }
    const auto weights = Eigen::Map<const numeric::Vector>(
        law.weights.data(), static_cast<Eigen::Index>(law.weights.size()));
    std::vector<const LawInput*> inputs;
    for (const LawInput& input : law.inputs) inputs.push_back(&input);
    Return(fmt::format("{}({}) + ({})", Math("log"), Min(Max("time", least), most),
                       WeightedSum(weights, 0, inputs)));
  }
  std::string Power(const std::string& base, const std::string& power) const {
    return cpp_ ? fmt::format("std::pow({}, {})", base, power)
                : fmt::format("{} ** {}", base, power);
  }

  // What PowersPredictor::PredictLaw does beyond the measured range.
  void Limit(const learn::PowersPredictor::Parts& parts) {
    if (!parts.limit) {
      Set("limited", CallPlain("law"));
      return;
    }
    const learn::GrowthLimit& limit = *parts.limit;
    const std::string& column = syntax_.columns[limit.column];
    const auto at = [&](double value) {
      std::vector<std::string> arguments(schema_.inputs.size());
      arguments[limit.column] = Min(column, syntax_.Number(value));
      return Call("law", arguments);
    };
    Set("at_end", at(limit.end));
    Set("slope", fmt::format("(at_end - {}) / {}", at(limit.end * learn::GrowthLimit::kSlopeStep),
                             syntax_.Number(-std::log(learn::GrowthLimit::kSlopeStep))));
    Set("distance", fmt::format("{}({} / {})", Math("log"), Max(column, syntax_.Number(limit.end)),
                                syntax_.Number(limit.end)));
    const std::string growth = fmt::format("({} + {}) * distance", Max("slope", "0.0"),
                                           syntax_.Number(learn::GrowthLimit::kExtraGrowth));
    const std::string falls = syntax_.Number(learn::GrowthLimit::kStillFalls);
    Set("most", cpp_ ? fmt::format("slope < {} ? 0.0 : {}", falls, growth)
                     : fmt::format("0.0 if slope < {} else {}", falls, growth));
    const std::string change = fmt::format("{} - at_end", CallPlain("law"));
    const std::string least =
        fmt::format("{} * distance", syntax_.Number(learn::GrowthLimit::kSteepestFall));
    const std::string limited = "at_end + " + Min(Max(change, least), "most");
    Set("limited", cpp_ ? fmt::format("distance > 0 ? {} : {}", limited, CallPlain("law"))
                        : fmt::format("{} if distance > 0 else {}", limited, CallPlain("law")));
  }

  void Blend(const learn::BlendPredictor& blend) {
    std::string sum;
    for (size_t i = 0; i < blend.members().size(); ++i) {
      const learn::BlendMember& member = blend.members()[i];
      const std::string name = fmt::format("model{}", i + 1);
      Line(Comment(fmt::format("{}: {}", member.fitted.candidate.technique,
                               OneLine(member.fitted.candidate.Describe()))));
      Begin(name);
      Model(member.fitted);
      End();
      const std::string value = CallPlain(name);
      sum += fmt::format("{}{} * {}", i == 0 ? "" : " + ", syntax_.Number(member.weight),
                         blend.scale() == learn::TargetScale::kLog
                             ? fmt::format("{}({})", Math("log"), value)
                             : value);
    }
    Return(sum);
  }

  const Schema& schema_;
  Syntax syntax_;
  bool cpp_;
  size_t depth_ = 0;
  std::string out_;
};

}  // namespace

std::string FormulaCode(const learn::Model& model, FormulaLanguage language) {
  return CodeWriter(language, model.schema).Write(model);
}

}  // namespace reckon::predict
