#include "learn/features/term.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"

namespace reckon::learn {
namespace {

using Form = Factor::Form;

constexpr std::array<std::pair<Form, const char*>, 4> kFormNames{{
    {Form::kRaw, "raw"},
    {Form::kInverse, "inverse"},
    {Form::kLog, "log"},
    {Form::kLevel, "level"},
}};

double Evaluate(const Factor& factor, double cell) {
  switch (factor.form) {
    case Form::kRaw:
      return cell;
    case Form::kInverse:
      return 1 / cell;
    case Form::kLog:
      return std::log(cell);
    case Form::kLevel:
      return cell == static_cast<double>(factor.level) ? 1 : 0;
  }
  return 0;
}

std::string FactorName(const Factor& factor, const Schema& schema) {
  const InputColumn& input = schema.inputs[factor.column];
  switch (factor.form) {
    case Form::kRaw:
      return input.name;
    case Form::kInverse:
      return "1/" + input.name;
    case Form::kLog:
      return "log(" + input.name + ")";
    case Form::kLevel:
      return fmt::format("[{}={}]", input.name, input.levels[factor.level]);
  }
  return "";
}

base::Result<Factor> FactorFromJson(const base::Json& json, const Schema& schema) {
  if (!json.is_object() || !json.contains("column") || !json["column"].is_string() ||
      !json.contains("form") || !json["form"].is_string()) {
    return base::Corrupt("a factor needs a 'column' and a 'form'");
  }
  const auto name = json["column"].get<std::string>();
  const auto form_name = json["form"].get<std::string>();
  Factor factor;
  while (factor.column < schema.inputs.size() && schema.inputs[factor.column].name != name) {
    ++factor.column;
  }
  if (factor.column == schema.inputs.size()) {
    return base::Corrupt(
        fmt::format("a feature uses column '{}', which the model does not have", name));
  }
  const InputColumn& input = schema.inputs[factor.column];
  bool known = false;
  for (const auto& [form, text] : kFormNames) {
    if (form_name == text) {
      factor.form = form;
      known = true;
    }
  }
  if (!known) return base::Corrupt(fmt::format("'{}' is no form of a feature", form_name));
  const bool wants_category = factor.form == Form::kLevel;
  if (wants_category != (input.kind == core::ColumnKind::kCategory)) {
    return base::Corrupt(fmt::format("form '{}' does not fit column '{}'", form_name, name));
  }
  if (wants_category) {
    if (!json.contains("level") || !json["level"].is_string()) {
      return base::Corrupt(fmt::format("a level of column '{}' needs a 'level'", name));
    }
    const auto level = json["level"].get<std::string>();
    while (factor.level < input.levels.size() && input.levels[factor.level] != level) {
      ++factor.level;
    }
    if (factor.level == input.levels.size()) {
      return base::Corrupt(fmt::format("column '{}' has no level '{}'", name, level));
    }
  }
  return factor;
}

}  // namespace

std::string TermName(const Term& term, const Schema& schema) {
  if (term.factors.empty()) return "1";
  std::vector<std::string> names;
  for (const Factor& factor : term.factors) names.push_back(FactorName(factor, schema));
  return base::Join(names, " * ");
}

FeatureMap::FeatureMap(std::vector<Term> terms) : terms_(std::move(terms)) {
  for (const Term& term : terms_) {
    std::vector<Eigen::Index>& places = places_.emplace_back();
    for (const Factor& factor : term.factors) {
      const auto known = std::find(factors_.begin(), factors_.end(), factor);
      places.push_back(known - factors_.begin());
      if (known == factors_.end()) factors_.push_back(factor);
    }
  }
}

Matrix FeatureMap::Apply(const Matrix& x) const {
  // Each factor once, however many terms have it.
  Matrix factors(x.rows(), static_cast<Eigen::Index>(factors_.size()));
  for (size_t f = 0; f < factors_.size(); ++f) {
    const auto cells = x.col(static_cast<Eigen::Index>(factors_[f].column));
    auto column = factors.col(static_cast<Eigen::Index>(f));
    for (Eigen::Index i = 0; i < x.rows(); ++i) column(i) = Evaluate(factors_[f], cells(i));
  }
  Matrix features(x.rows(), static_cast<Eigen::Index>(terms_.size()));
  for (size_t t = 0; t < terms_.size(); ++t) {
    auto column = features.col(static_cast<Eigen::Index>(t));
    const std::vector<Eigen::Index>& places = places_[t];
    if (places.empty()) {
      column.setOnes();
      continue;
    }
    column = factors.col(places.front());
    for (size_t p = 1; p < places.size(); ++p) column.array() *= factors.col(places[p]).array();
  }
  return features;
}

std::string FeatureMap::DomainProblem(const Eigen::Ref<const Eigen::RowVectorXd>& x,
                                      const Schema& schema) const {
  for (const Term& term : terms_) {
    for (const Factor& factor : term.factors) {
      const double cell = x(static_cast<Eigen::Index>(factor.column));
      const bool outside =
          (factor.form == Form::kLog && cell <= 0) || (factor.form == Form::kInverse && cell == 0);
      if (outside) {
        return fmt::format("{} = {}: the model uses {}, expected a value {} 0",
                           schema.inputs[factor.column].name, base::RoundTrip(cell),
                           FactorName(factor, schema),
                           factor.form == Form::kLog ? ">" : "other than");
      }
    }
  }
  return "";
}

base::Json FeatureMap::ToJson(const Schema& schema) const {
  base::Json list = base::Json::array();
  for (const Term& term : terms_) {
    base::Json factors = base::Json::array();
    for (const Factor& factor : term.factors) {
      base::Json entry;
      entry["column"] = schema.inputs[factor.column].name;
      for (const auto& [form, name] : kFormNames) {
        if (form == factor.form) entry["form"] = name;
      }
      if (factor.form == Form::kLevel) {
        entry["level"] = schema.inputs[factor.column].levels[factor.level];
      }
      factors.push_back(std::move(entry));
    }
    list.push_back(std::move(factors));
  }
  return list;
}

base::Result<FeatureMap> FeatureMap::FromJson(const base::Json& json, const Schema& schema) {
  if (!json.is_array()) return base::Corrupt("'features' is not a list");
  std::vector<Term> terms;
  for (const base::Json& entry : json) {
    if (!entry.is_array()) return base::Corrupt("a feature is not a list of factors");
    Term term;
    for (const base::Json& factor : entry) {
      RECKON_ASSIGN(Factor parsed, FactorFromJson(factor, schema));
      term.factors.push_back(parsed);
    }
    terms.push_back(std::move(term));
  }
  return FeatureMap(std::move(terms));
}

}  // namespace reckon::learn
