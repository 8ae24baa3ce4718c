#include "predict/contributions.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/text.h"
#include "base/units.h"
#include "learn/laws/powers_predictor.h"
#include "learn/regressors/blend.h"
#include "learn/regressors/law_predictor.h"
#include "learn/regressors/scaling_law_predictor.h"

namespace reckon::predict {
namespace {

using learn::TargetScale;
using learn::TreeNode;
using Parts = std::vector<core::Contribution>;
using Row = Eigen::Ref<const Eigen::RowVectorXd>;

void SortBySize(Parts& parts) {
  std::erase_if(parts, [](const core::Contribution& part) { return part.amount == 0; });
  std::stable_sort(parts.begin(), parts.end(),
                   [](const core::Contribution& a, const core::Contribution& b) {
                     return std::fabs(a.amount) > std::fabs(b.amount);
                   });
}

Parts LinearParts(const learn::LinearFormula& linear, const learn::Schema& schema, const Row& x) {
  const numeric::Matrix values = learn::FeatureMap(linear.terms).Apply(x);
  Parts parts{{"constant", linear.intercept}};
  for (size_t i = 0; i < linear.terms.size(); ++i) {
    parts.push_back({learn::TermName(linear.terms[i], schema),
                     linear.weights[i] * values(0, static_cast<Eigen::Index>(i))});
  }
  return parts;
}

// The terms of the bracket, each scaled as the law scales it.
Parts LawParts(const learn::PowerLawFormula& law, const learn::Schema& schema, const Row& x) {
  const double scaling = learn::LawScaling(law, x);
  Parts parts{{"constant", law.constant}};
  parts.push_back({"base", law.base * scaling});
  for (const auto& term : law.intrinsic) {
    const double power = std::pow(x(static_cast<Eigen::Index>(term.column)), term.power);
    parts.push_back(
        {fmt::format("{}^{}", schema.inputs[term.column].name, base::FormatNumber(term.power)),
         term.factor * power * scaling});
  }
  for (const auto& levels : law.levels) {
    const learn::InputColumn& input = schema.inputs[levels.column];
    const double code = x(static_cast<Eigen::Index>(levels.column));
    const std::string level = code < 0 ? "another" : input.levels[static_cast<size_t>(code)];
    const double amount = learn::LevelConstant(levels, code) * scaling;
    parts.push_back({fmt::format("[{}={}]", input.name, level), amount});
  }
  return parts;
}

// A walk from the root to a leaf: each split moves the mean from its node's to its child's.
Parts TreeParts(const std::vector<learn::Term>& terms, double base,
                const std::vector<const std::vector<TreeNode>*>& trees, const learn::Schema& schema,
                const Row& x) {
  const numeric::Matrix values = learn::FeatureMap(terms).Apply(x);
  std::vector<double> amounts(terms.size(), 0);
  for (const std::vector<TreeNode>* tree : trees) {
    const TreeNode* node = tree->data();
    base += node->value;
    while (node->left >= 0) {
      const bool left = values(0, node->term) <= node->threshold;
      const TreeNode* child = tree->data() + (left ? node->left : node->right);
      amounts[static_cast<size_t>(node->term)] += child->value - node->value;
      node = child;
    }
  }
  Parts parts{{"mean of all rows", base}};
  for (size_t i = 0; i < terms.size(); ++i) {
    parts.push_back({learn::TermName(terms[i], schema), amounts[i]});
  }
  return parts;
}

// "workers^-0.98 * size^1": the powers of one law that matter.
std::string PowerLawName(const learn::PowersPredictor::Parts& law, Eigen::Index k,
                         const learn::Schema& schema) {
  constexpr double kMatters = 0.05;
  std::vector<std::string> powers;
  for (size_t j = 0; j < law.inputs.scaling.size(); ++j) {
    const double power = law.law.weights(k, static_cast<Eigen::Index>(j) + 1);
    const learn::LawInput& input = law.inputs.scaling[j];
    if (input.form != learn::LawInput::Form::kLog || std::fabs(power) < kMatters) continue;
    powers.push_back(fmt::format("{}^{:.2f}", schema.inputs[input.column].name, power));
  }
  return powers.empty() ? fmt::format("fixed part {}", k + 1) : base::Join(powers, " * ");
}

std::string CorrectionName(const learn::LawCorrection& correction) {
  const bool smooth = correction.Size().centres > 0;
  return smooth ? "correction by nearness to measured rows" : "correction by trees";
}

// With p > 1 the power laws do not add up; each gets its share of the sum of their p-th powers.
Parts PowersParts(const learn::PowersPredictor& powers, const learn::Schema& schema, const Row& x) {
  const learn::PowersPredictor::Parts& law = powers.parts();
  const numeric::Matrix row = x;
  numeric::Matrix terms;
  numeric::Matrix shared;
  learn::PowerSumInputs(law.inputs, law.levels_apart, row, terms, shared);
  const double whole = std::exp(law.law.Evaluate(terms, shared)(0));
  const numeric::Vector logs = law.law.sharpness * (law.law.weights * terms.row(0).transpose());
  const numeric::Vector shares = (logs.array() - logs.maxCoeff()).exp();
  Parts parts;
  for (Eigen::Index k = 0; k < shares.size(); ++k) {
    parts.push_back({PowerLawName(law, k, schema), whole * shares(k) / shares.sum()});
  }
  const double limited = std::exp(powers.PredictLaw(row)(0));
  parts.push_back({"limit beyond the measured range", limited - whole});
  parts.push_back({CorrectionName(law.correction), std::exp(powers.Predict(row)(0)) - limited});
  return parts;
}

// The terms of a law under a common time: each gets its share of their sum, since computing and
// exchanging may overlap.
Parts ScalingParts(const learn::ScalingLawPredictor& predictor, const Row& x) {
  const learn::ScalingLaw& law = predictor.law();
  const numeric::Matrix row = x;
  Parts parts;
  double sum = 0;
  for (const learn::LawTerm& term : law.terms) {
    const double value = term.coefficient * learn::TermValues(term, row)(0);
    sum += value;
    parts.push_back({term.parameter, value});
  }
  const double whole = std::exp(law.LogTime(row)(0));
  for (core::Contribution& part : parts) part.amount *= sum > 0 ? whole / sum : 0;
  if (predictor.correction()) {
    parts.push_back(
        {CorrectionName(predictor.correction()), std::exp(predictor.Predict(row)(0)) - whole});
  }
  return parts;
}

// The line, and what nearness to measured rows adds to it.
Parts KernelParts(const learn::KernelFormula& kernel, double predicted, const learn::Schema& schema,
                  const Row& x) {
  Parts parts = LinearParts(kernel.line, schema, x);
  double line = 0;
  for (const core::Contribution& part : parts) line += part.amount;
  parts.push_back(
      {fmt::format("nearness to {} measured rows", kernel.coefficients.size()), predicted - line});
  return parts;
}

// Forecasts are kept within what the measured targets allow (TargetRange).
void AddHeld(const learn::Fitted& fitted, const Row& x, Breakdown& out) {
  const double forecast = fitted.Predict(x)(0);
  const double raw = fitted.predictor->Predict(x)(0);
  const bool log = fitted.candidate.scale == TargetScale::kLog;
  const double unheld = log ? std::exp(std::min(raw, 700.0)) : raw;
  if (unheld == forecast) return;
  const double from = out.scale == TargetScale::kLog ? raw : unheld;
  const double to = out.scale == TargetScale::kLog ? std::log(forecast) : forecast;
  out.parts.push_back({fmt::format("held {} {}", unheld < forecast ? "above" : "below",
                                   base::FormatNumber(forecast)),
                       to - from});
}

Breakdown BreakDown(const learn::Fitted& fitted, const learn::Schema& schema, const Row& x);

Parts BlendParts(const learn::BlendPredictor& blend, const learn::Schema& schema, const Row& x) {
  Parts parts;
  for (const learn::BlendMember& member : blend.members()) {
    const learn::Candidate& candidate = member.fitted.candidate;
    Breakdown own = BreakDown(member.fitted, schema, x);
    const learn::Vector predicted = learn::ToScale(member.fitted.Predict(x), blend.scale());
    parts.push_back({fmt::format("{:.0f} % {}", 100 * member.weight, candidate.technique),
                     member.weight * predicted(0), std::move(own.parts),
                     learn::TargetScaleName(own.scale)});
  }
  return parts;
}

Breakdown BreakDown(const learn::Fitted& fitted, const learn::Schema& schema, const Row& x) {
  Breakdown out{fitted.candidate.scale, {}};
  const learn::Formula formula = fitted.predictor->ToFormula();
  if (const auto* blend = dynamic_cast<const learn::BlendPredictor*>(fitted.predictor.get())) {
    out.parts = BlendParts(*blend, schema, x);
  } else if (const auto* powers =
                 dynamic_cast<const learn::PowersPredictor*>(fitted.predictor.get())) {
    out = {TargetScale::kLinear, PowersParts(*powers, schema, x)};
  } else if (const auto* law = std::get_if<learn::PowerLawFormula>(&formula)) {
    out.parts = LawParts(*law, schema, x);
  } else if (const auto* linear = std::get_if<learn::LinearFormula>(&formula)) {
    out.parts = LinearParts(*linear, schema, x);
  } else if (const auto* tree = std::get_if<learn::TreeFormula>(&formula)) {
    out.parts = TreeParts(tree->terms, 0, {&tree->nodes}, schema, x);
  } else if (const auto* ensemble = std::get_if<learn::EnsembleFormula>(&formula)) {
    std::vector<const std::vector<TreeNode>*> trees;
    for (const auto& nodes : ensemble->trees) trees.push_back(&nodes);
    out.parts = TreeParts(ensemble->terms, ensemble->base, trees, schema, x);
  } else if (const auto* scaling =
                 dynamic_cast<const learn::ScalingLawPredictor*>(fitted.predictor.get())) {
    out = {TargetScale::kLinear, ScalingParts(*scaling, x)};
  } else if (const auto* kernel = std::get_if<learn::KernelFormula>(&formula)) {
    out.parts = KernelParts(*kernel, fitted.predictor->Predict(x)(0), schema, x);
  }
  AddHeld(fitted, x, out);
  SortBySize(out.parts);
  return out;
}

}  // namespace

Breakdown Contributions(const learn::Model& model, const Eigen::Ref<const Eigen::RowVectorXd>& x) {
  return BreakDown(model.fitted, model.schema, x);
}

}  // namespace reckon::predict
