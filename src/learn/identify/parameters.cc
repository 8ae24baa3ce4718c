#include "learn/identify/parameters.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "learn/laws/powers_predictor.h"
#include "learn/regressors/blend.h"
#include "learn/regressors/law_predictor.h"

namespace reckon::learn {
namespace {

std::vector<Parameter> LinearParameters(const LinearFormula& linear, const Schema& schema) {
  std::vector<Parameter> parameters{{"constant", linear.intercept, std::nullopt}};
  for (size_t i = 0; i < linear.terms.size(); ++i) {
    const std::vector<Factor>& factors = linear.terms[i].factors;
    std::optional<size_t> column;
    if (factors.size() == 1) column = factors.front().column;
    parameters.push_back({WeightName(linear.terms[i], schema), linear.weights[i], column});
  }
  return parameters;
}

std::vector<Parameter> GenericParameters(const PowerLawFormula& law, const Schema& schema) {
  std::vector<Parameter> parameters;
  for (const LawParameter& parameter : LawParameters(law, schema)) {
    std::optional<size_t> column;
    for (size_t j = 0; j < schema.inputs.size(); ++j) {
      const std::string& name = schema.inputs[j].name;
      if (parameter.name == "power of " + name || parameter.name == "factor of " + name) column = j;
    }
    parameters.push_back({parameter.name, parameter.value, column});
  }
  return parameters;
}

std::string InputName(const LawInput& input, const Schema& schema) {
  const InputColumn& column = schema.inputs[input.column];
  switch (input.form) {
    case LawInput::Form::kLog:
      return "power of " + column.name;
    case LawInput::Form::kRaw:
      return "weight of " + column.name;
    case LawInput::Form::kLevel:
      return fmt::format("[{}={}]", column.name, column.levels[input.level]);
    case LawInput::Form::kThreshold:
      return fmt::format("[{} above {:.6g}]", column.name, input.low);
  }
  return "";
}

// The parts of a sum have no order of their own: the steepest fall along the first column first.
std::vector<Eigen::Index> PartsInOrder(const numeric::PowerSum& law) {
  std::vector<Eigen::Index> order(static_cast<size_t>(law.weights.rows()));
  std::iota(order.begin(), order.end(), Eigen::Index{0});
  const Eigen::Index by = law.weights.cols() > 1 ? 1 : 0;
  std::stable_sort(order.begin(), order.end(), [&](Eigen::Index a, Eigen::Index b) {
    return law.weights(a, by) < law.weights(b, by);
  });
  return order;
}

std::vector<Parameter> PowersParameters(const PowersFormula& formula, const Schema& schema) {
  std::vector<LawInput> inputs = formula.inputs.scaling;
  const std::vector<LawInput>& levels = formula.inputs.levels;
  if (formula.levels_apart) inputs.insert(inputs.end(), levels.begin(), levels.end());
  std::vector<Parameter> parameters;
  size_t part = 0;
  for (const Eigen::Index k : PartsInOrder(formula.law)) {
    ++part;
    parameters.push_back(
        {fmt::format("log factor of part {}", part), formula.law.weights(k, 0), std::nullopt});
    for (size_t j = 0; j < inputs.size(); ++j) {
      parameters.push_back({fmt::format("{} in part {}", InputName(inputs[j], schema), part),
                            formula.law.weights(k, static_cast<Eigen::Index>(j) + 1),
                            inputs[j].column});
    }
  }
  if (formula.levels_apart) return parameters;
  for (size_t j = 0; j < levels.size(); ++j) {
    parameters.push_back({InputName(levels[j], schema),
                          formula.law.shared(static_cast<Eigen::Index>(j)), levels[j].column});
  }
  return parameters;
}

// The column that all factors of a term are about, if there is one.
std::optional<size_t> OnlyColumn(const LawTerm& term) {
  std::optional<size_t> column;
  for (const LawFactor& factor : term.factors) {
    if (column && *column != factor.column) return std::nullopt;
    column = factor.column;
  }
  return column;
}

std::vector<Parameter> ScalingParameters(const ScalingLaw& law, const Schema& schema) {
  std::vector<Parameter> parameters;
  for (const LawTerm& term : law.terms) {
    if (!term.frozen) parameters.push_back({term.parameter, term.coefficient, OnlyColumn(term)});
  }
  if (law.overlap != 1) parameters.push_back({"overlap", law.overlap, std::nullopt});
  for (size_t j = 0; j < law.inputs.size(); ++j) {
    parameters.push_back({InputName(law.inputs[j], schema), law.weights[j], law.inputs[j].column});
  }
  return parameters;
}

// Where the factor is not 0: "workers above 2".
std::string WhereItActs(const LawFactor& factor, const Schema& schema) {
  const std::string& name = schema.inputs[factor.column].name;
  switch (factor.form) {
    case LawFactor::Form::kPower:
      return "";
    case LawFactor::Form::kLog2:
      return name + " above 1";
    case LawFactor::Form::kExcess:
    case LawFactor::Form::kAbove:
      return fmt::format("{} above {:.6g}", name, factor.number);
    case LawFactor::Form::kUpTo:
      return fmt::format("{} up to {:.6g}", name, factor.number);
  }
  return "";
}

bool HasParameters(const Predictor& predictor) {
  const Formula formula = predictor.ToFormula();
  return std::holds_alternative<LinearFormula>(formula) ||
         std::holds_alternative<PowerLawFormula>(formula) ||
         std::holds_alternative<PowersFormula>(formula) ||
         std::holds_alternative<ScalingLawFormula>(formula);
}

}  // namespace

std::string WeightName(const Term& term, const Schema& schema) {
  return "weight of " + TermName(term, schema);
}

const Fitted* Parametric(const Fitted& fitted) {
  if (HasParameters(*fitted.predictor)) return &fitted;
  const auto* blend = dynamic_cast<const BlendPredictor*>(fitted.predictor.get());
  const BlendMember* heaviest = nullptr;
  if (blend == nullptr) return nullptr;
  for (const BlendMember& member : blend->members()) {
    if (!HasParameters(*member.fitted.predictor)) continue;
    if (heaviest == nullptr || member.weight > heaviest->weight) heaviest = &member;
  }
  return heaviest == nullptr ? nullptr : &heaviest->fitted;
}

std::vector<Parameter> ParametersOf(const Fitted& fitted, const Schema& schema) {
  const Fitted* model = Parametric(fitted);
  if (model == nullptr) return {};
  const Formula formula = model->predictor->ToFormula();
  if (const auto* linear = std::get_if<LinearFormula>(&formula)) {
    return LinearParameters(*linear, schema);
  }
  if (const auto* law = std::get_if<PowerLawFormula>(&formula)) {
    return GenericParameters(*law, schema);
  }
  if (const auto* law = std::get_if<ScalingLawFormula>(&formula))
    return ScalingParameters(*law, schema);
  return PowersParameters(std::get<PowersFormula>(formula), schema);
}

std::vector<Unidentified> FrozenTerms(const Fitted& fitted, const Schema& schema) {
  std::vector<Unidentified> found;
  const Fitted* model = Parametric(fitted);
  if (model == nullptr) return found;
  const Formula formula = model->predictor->ToFormula();
  const auto* law = std::get_if<ScalingLawFormula>(&formula);
  if (law == nullptr) return found;
  for (const LawTerm& term : law->terms) {
    if (!term.frozen) continue;
    Unidentified gap{Unidentified::Kind::kFrozen, {}, "", ""};
    std::vector<std::string> where;
    for (const LawFactor& factor : term.factors) {
      const std::string text = WhereItActs(factor, schema);
      if (text.empty()) continue;
      where.push_back(text);
      gap.columns.push_back(schema.inputs[factor.column].name);
    }
    gap.what = term.stand_in ? fmt::format("no row tells {} of '{}': taken from {}", term.parameter,
                                           law->name, law->terms[*term.stand_in].parameter)
                             : fmt::format("no row tells {} of '{}': held at {:.4g}",
                                           term.parameter, law->name, term.coefficient);
    gap.next = where.empty() ? "measure configurations that differ more"
                             : fmt::format("measure one with {}", fmt::join(where, " and "));
    found.push_back(std::move(gap));
  }
  return found;
}

}  // namespace reckon::learn
