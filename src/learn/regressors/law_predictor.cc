#include "learn/regressors/law_predictor.h"

#include <cmath>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "learn/regressors/generic_problem.h"

namespace reckon::learn {
namespace {

using base::Json;
using Index = Eigen::Index;

// Reads the parts of a law; the first wrong one is remembered.
class LawReader {
 public:
  explicit LawReader(const Schema& schema) : schema_(schema) {}

  double Number(const Json& json, const char* key, double low, double high) {
    if (!json.is_object() || !json.contains(key) || !json[key].is_number()) {
      Fail(fmt::format("'{}' of the law is not a number", key));
      return 0;
    }
    const double value = json[key].get<double>();
    // Also false for what is no number.
    if (!(value >= low && value <= high)) Fail(fmt::format("'{}' of the law is out of range", key));
    return value;
  }

  // Every column has one part in the law.
  size_t Column(const Json& json, core::ColumnKind kind) {
    if (!json.is_object() || !json.contains("column") || !json["column"].is_string()) {
      Fail("a part of the law has no 'column'");
      return 0;
    }
    const auto name = json["column"].get<std::string>();
    for (size_t j = 0; j < schema_.inputs.size(); ++j) {
      if (schema_.inputs[j].name != name || schema_.inputs[j].kind != kind) continue;
      if (!used_.insert(j).second) Fail(fmt::format("the law uses column '{}' twice", name));
      return j;
    }
    Fail(fmt::format("the law uses '{}', which is no such column of the model", name));
    return 0;
  }

  // Empty when it is no list of numbers.
  std::vector<double> Numbers(const Json& json, const char* key, double low) {
    std::vector<double> numbers;
    for (const Json& entry : List(json, key)) {
      const double value = entry.is_number() ? entry.get<double>() : std::nan("");
      if (!(value >= low && std::isfinite(value))) {
        Fail(fmt::format("'{}' of the law holds something else than numbers", key));
        return {};
      }
      numbers.push_back(value);
    }
    return numbers;
  }

  const Json& List(const Json& json, const char* key) {
    static const Json kNothing = Json::array();
    if (json.is_object() && json.contains(key) && json[key].is_array()) return json[key];
    Fail(fmt::format("'{}' of the law is not a list", key));
    return kNothing;
  }

  void Fail(std::string problem) {
    if (problem_.empty()) problem_ = std::move(problem);
  }
  base::Status Check() const { return problem_.empty() ? base::Status() : base::Corrupt(problem_); }

 private:
  const Schema& schema_;
  std::set<size_t> used_;
  std::string problem_;
};

constexpr double kLargest = 1e300;

}  // namespace

LawPredictor::LawPredictor(PowerLawFormula law) : law_(std::move(law)) {
  std::vector<Term> terms;
  for (const auto& term : law_.intrinsic) {
    if (term.factor != 0 && term.power != 0) {
      terms.push_back({{{Factor::Form::kLog, term.column, 0}}});
    }
  }
  for (const auto& term : law_.extrinsic) {
    if (term.power != 0) terms.push_back({{{Factor::Form::kLog, term.column, 0}}});
  }
  features_ = FeatureMap(std::move(terms));
}

double LawScaling(const PowerLawFormula& law, const Eigen::Ref<const Eigen::RowVectorXd>& x) {
  double scaling = 1;
  for (const auto& term : law.extrinsic) {
    scaling *= std::pow(x(static_cast<Index>(term.column)), term.power);
  }
  return scaling;
}

double LevelConstant(const PowerLawFormula::Levels& levels, double code) {
  const bool seen = code >= 0 && code < static_cast<double>(levels.constants.size());
  return seen ? levels.constants[static_cast<size_t>(code)] : levels.other;
}

Vector LawPredictor::Predict(const Matrix& x) const {
  Vector predicted(x.rows());
  for (Index i = 0; i < x.rows(); ++i) {
    double bracket = law_.base;
    for (const auto& term : law_.intrinsic) {
      if (term.factor == 0) continue;
      bracket += term.factor * std::pow(x(i, static_cast<Index>(term.column)), term.power);
    }
    for (const auto& levels : law_.levels) {
      bracket += LevelConstant(levels, x(i, static_cast<Index>(levels.column)));
    }
    predicted(i) = bracket * LawScaling(law_, x.row(i)) + law_.constant;
  }
  return predicted;
}

Json LawPredictor::ToJson(const Schema& schema) const {
  Json json;
  json["base"] = law_.base;
  json["intrinsic"] = Json::array();
  for (const auto& term : law_.intrinsic) {
    json["intrinsic"].push_back({{"column", schema.inputs[term.column].name},
                                 {"factor", term.factor},
                                 {"power", term.power}});
  }
  json["levels"] = Json::array();
  for (const auto& levels : law_.levels) {
    json["levels"].push_back({{"column", schema.inputs[levels.column].name},
                              {"constants", levels.constants},
                              {"other", levels.other}});
  }
  json["extrinsic"] = Json::array();
  for (const auto& term : law_.extrinsic) {
    json["extrinsic"].push_back(
        {{"column", schema.inputs[term.column].name}, {"power", term.power}});
  }
  json["constant"] = law_.constant;
  if (law_.spread.fits > 0) {
    json["repeats"] = {{"fits", law_.spread.fits},
                       {"mean", law_.spread.mean},
                       {"deviation", law_.spread.deviation}};
  }
  return json;
}

base::Result<std::unique_ptr<Predictor>> LawPredictor::Load(const Json& json,
                                                            const Schema& schema) {
  LawReader reader(schema);
  PowerLawFormula law;
  law.base = reader.Number(json, "base", 0, kLargest);
  law.constant = reader.Number(json, "constant", 0, kLargest);
  for (const Json& entry : reader.List(json, "intrinsic")) {
    law.intrinsic.push_back({reader.Column(entry, core::ColumnKind::kNumber),
                             reader.Number(entry, "factor", 0, kLargest),
                             reader.Number(entry, "power", -kLawPowerLimit, kLawPowerLimit)});
  }
  for (const Json& entry : reader.List(json, "levels")) {
    PowerLawFormula::Levels levels;
    levels.column = reader.Column(entry, core::ColumnKind::kCategory);
    levels.other = reader.Number(entry, "other", 0, kLargest);
    levels.constants = reader.Numbers(entry, "constants", 0);
    RECKON_TRY(reader.Check());
    if (levels.constants.size() != schema.inputs[levels.column].levels.size()) {
      return base::Corrupt(fmt::format("the law has not one constant for each level of '{}'",
                                       schema.inputs[levels.column].name));
    }
    law.levels.push_back(std::move(levels));
  }
  for (const Json& entry : reader.List(json, "extrinsic")) {
    law.extrinsic.push_back({reader.Column(entry, core::ColumnKind::kNumber),
                             reader.Number(entry, "power", -kLawPowerLimit, kLawPowerLimit)});
  }
  RECKON_TRY(reader.Check());
  if (json.contains("repeats")) {
    const Json& repeats = json["repeats"];
    law.spread.fits = static_cast<size_t>(reader.Number(repeats, "fits", 1, 1e6));
    law.spread.mean = reader.Numbers(repeats, "mean", -kLargest);
    law.spread.deviation = reader.Numbers(repeats, "deviation", 0);
    RECKON_TRY(reader.Check());
    const size_t count = LawParameters(law, schema).size();
    if (law.spread.mean.size() != count || law.spread.deviation.size() != count) {
      return base::Corrupt("'repeats' has not one entry for each parameter of the law");
    }
  }
  return std::unique_ptr<Predictor>(std::make_unique<LawPredictor>(std::move(law)));
}

std::vector<LawParameter> LawParameters(const PowerLawFormula& law, const Schema& schema) {
  std::vector<LawParameter> parameters;
  if (law.levels.empty()) parameters.push_back({"base", law.base});
  for (const auto& term : law.intrinsic) {
    const std::string& name = schema.inputs[term.column].name;
    parameters.push_back({"factor of " + name, term.factor});
    parameters.push_back({"power of " + name, term.power});
  }
  for (const auto& levels : law.levels) {
    for (size_t l = 0; l < levels.constants.size(); ++l) {
      const Term level{{{Factor::Form::kLevel, levels.column, l}}};
      parameters.push_back({TermName(level, schema), levels.constants[l]});
    }
  }
  for (const auto& term : law.extrinsic) {
    parameters.push_back({"power of " + schema.inputs[term.column].name, term.power});
  }
  parameters.push_back({"constant", law.constant});
  return parameters;
}

}  // namespace reckon::learn
