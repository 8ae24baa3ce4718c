// Laws in model files.
#include <array>
#include <cmath>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "learn/json_fields.h"
#include "learn/laws/scaling_law.h"

namespace reckon::learn {
namespace {

using base::Json;
using FactorForm = LawFactor::Form;

constexpr std::array<std::pair<FactorForm, std::string_view>, 5> kForms{
    {{FactorForm::kPower, "power"},
     {FactorForm::kLog2, "log2"},
     {FactorForm::kExcess, "excess"},
     {FactorForm::kAbove, "above"},
     {FactorForm::kUpTo, "up_to"}}};
// Their product is finite.
constexpr double kLargestCoefficient = 1e290;
constexpr double kLargestScale = 1e6;
constexpr double kLargestNumber = 1e9;  // of a factor
constexpr size_t kMostTerms = 1000;

base::Error Corrupt(std::string_view what) {
  return {base::ErrorCode::kCorrupt, fmt::format("the law {}", what)};
}

base::Result<size_t> Column(const std::string& name, const Schema& schema, core::ColumnKind kind) {
  const auto column = schema.FindInput(name);
  if (!column.ok() || schema.inputs[*column].kind != kind) {
    return Corrupt(fmt::format("uses '{}', which is no such column of the model", name));
  }
  return *column;
}

base::Result<LawFactor> FactorFromJson(const Json& json, const Schema& schema) {
  JsonFields fields(json, "predictor.terms.factors");
  const std::string column = fields.Text("column");
  const std::string form = fields.Text("form");
  LawFactor factor;
  factor.number = fields.Number("number");
  RECKON_TRY(fields.Check());
  RECKON_ASSIGN(factor.column, Column(column, schema, core::ColumnKind::kNumber));
  if (!(std::fabs(factor.number) <= kLargestNumber)) return Corrupt("has a factor out of range");
  for (const auto& [known, name] : kForms) {
    if (name != form) continue;
    factor.form = known;
    return factor;
  }
  return Corrupt(fmt::format("has a factor of the unknown form '{}'", form));
}

base::Result<LawTerm> TermFromJson(const Json& json, const Schema& schema) {
  JsonFields fields(json, "predictor.terms");
  LawTerm term;
  term.parameter = fields.Text("parameter");
  const std::string part = fields.Text("part");
  term.scale = fields.Number("scale");
  term.coefficient = fields.Number("coefficient");
  term.frozen = fields.Flag("frozen");
  const Json& factors = fields.List("factors");
  RECKON_TRY(fields.Check());
  if (part != "compute" && part != "exchange") return Corrupt("has a term of an unknown part");
  term.part = part == "compute" ? LawPart::kCompute : LawPart::kExchange;
  // Also false for what is no number.
  const bool scaled = term.scale > 0 && term.scale <= kLargestScale;
  if (!scaled || !(term.coefficient >= 0 && term.coefficient <= kLargestCoefficient)) {
    return Corrupt(fmt::format("has a bad coefficient '{}'", term.parameter));
  }
  for (const Json& entry : factors) {
    RECKON_ASSIGN(LawFactor factor, FactorFromJson(entry, schema));
    term.factors.push_back(factor);
  }
  return term;
}

// A list of finite numbers, or nothing.
std::optional<std::vector<double>> Numbers(const Json& list) {
  std::vector<double> numbers;
  for (const Json& entry : list) {
    if (!entry.is_number() || !std::isfinite(entry.get<double>())) return std::nullopt;
    numbers.push_back(entry.get<double>());
  }
  return numbers;
}

base::Status ReadMachine(const Json& json, const Schema& schema, ScalingLaw& law) {
  JsonFields fields(json, "predictor.machine");
  const std::string name = fields.Text("column");
  const Json& exchange = fields.List("exchange");
  RECKON_TRY(fields.Check());
  RECKON_ASSIGN(law.machine, Column(name, schema, core::ColumnKind::kCategory));
  const auto numbers = Numbers(exchange);
  if (!numbers || numbers->size() != schema.inputs[*law.machine].levels.size()) {
    return Corrupt("has not one factor for each type of machine");
  }
  for (const double factor : *numbers) {
    if (!(factor > 0)) return Corrupt("has a factor of a machine that is not above 0");
  }
  law.exchange = *numbers;
  return {};
}

}  // namespace

Json ScalingLawToJson(const ScalingLaw& law, const Schema& schema) {
  Json json;
  json["law"] = law.name;
  json["terms"] = Json::array();
  for (const LawTerm& term : law.terms) {
    Json entry;
    entry["parameter"] = term.parameter;
    entry["part"] = term.part == LawPart::kCompute ? "compute" : "exchange";
    entry["scale"] = term.scale;
    entry["coefficient"] = term.coefficient;
    entry["frozen"] = term.frozen;
    entry["factors"] = Json::array();
    for (const LawFactor& factor : term.factors) {
      entry["factors"].push_back({{"column", schema.inputs[factor.column].name},
                                  {"form", kForms[static_cast<size_t>(factor.form)].second},
                                  {"number", factor.number}});
    }
    json["terms"].push_back(std::move(entry));
  }
  json["overlap"] = law.overlap;
  if (law.machine) {
    json["machine"] = {{"column", schema.inputs[*law.machine].name}, {"exchange", law.exchange}};
  }
  json["inputs"] = LawInputsToJson(law.inputs, schema);
  json["weights"] = law.weights;
  return json;
}

base::Result<ScalingLaw> ScalingLawFromJson(const Json& json, const Schema& schema,
                                            std::string_view name) {
  JsonFields fields(json, "predictor");
  ScalingLaw law;
  law.name = fields.Text("law");
  law.overlap = fields.Number("overlap");
  const Json& terms = fields.List("terms");
  const Json& inputs = fields.List("inputs");
  const Json& weights = fields.List("weights");
  RECKON_TRY(fields.Check());
  if (law.name != name) return Corrupt(fmt::format("is '{}', not '{}'", law.name, name));
  if (!(law.overlap >= 1 && law.overlap <= ScalingLaw::kMostOverlap)) {
    return Corrupt("has an overlap out of range");
  }
  if (terms.empty() || terms.size() > kMostTerms) return Corrupt("has no or too many terms");
  for (const Json& entry : terms) {
    RECKON_ASSIGN(LawTerm term, TermFromJson(entry, schema));
    law.terms.push_back(std::move(term));
  }
  if (json.contains("machine")) RECKON_TRY(ReadMachine(json["machine"], schema, law));
  RECKON_ASSIGN(law.inputs, LawInputsFromJson(inputs, schema));
  const auto numbers = Numbers(weights);
  if (!numbers || numbers->size() != law.inputs.size()) {
    return Corrupt("has not one weight for each input");
  }
  law.weights = *numbers;
  return law;
}

}  // namespace reckon::learn
