#include "app/validation_methods.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "base/units.h"

namespace reckon::app {
namespace {

using base::BadInput;
using base::Result;

Result<ValidationMethod> InterpolationMethod(const std::string& text, const learn::Dataset& data) {
  // Without '=' the whole text is the name; a name may hold '=' itself.
  size_t equals = text.find('=');
  auto column = data.schema.FindInput(std::string(base::Trim(text)));
  if (column.ok()) equals = std::string::npos;
  for (size_t at = equals; at != std::string::npos && !column.ok(); at = text.find('=', at + 1)) {
    column = data.schema.FindInput(std::string(base::Trim(std::string_view(text).substr(0, at))));
    if (column.ok()) equals = at;
  }
  if (!column.ok()) return std::move(column).error().Wrap("--interpolate " + text);
  std::vector<double> values;
  if (equals != std::string::npos) {
    for (const std::string_view part :
         base::Split(std::string_view(text).substr(equals + 1), ',')) {
      const auto value = base::ParseNumber(base::Trim(part));
      if (!value) {
        return BadInput(
            fmt::format("--interpolate {}: '{}' is not a number; expected COL=v1,v2", text, part));
      }
      values.push_back(*value);
    }
  }
  auto split = learn::InterpolationSplit(data, *column, values);
  if (!split.ok()) return std::move(split).error().Wrap("--interpolate " + text);
  return ValidationMethod{fmt::format("interpolation {}", text), {*std::move(split)}, std::nullopt};
}

Result<ValidationMethod> ExtrapolationMethod(const std::string& text, const learn::Dataset& data) {
  const size_t at = text.find_first_of("<>");
  const std::string name(base::Trim(std::string_view(text).substr(0, at)));
  auto column = data.schema.FindInput(name);
  if (!column.ok()) return std::move(column).error().Wrap("--extrapolate " + text);
  learn::Beyond beyond = learn::Beyond::kAbove;
  double threshold = 0;
  if (at == std::string::npos) {
    RECKON_ASSIGN(threshold, learn::DefaultThreshold(data, *column));
  } else {
    if (text[at] == '<') beyond = learn::Beyond::kBelow;
    const auto value = base::ParseNumber(base::Trim(std::string_view(text).substr(at + 1)));
    if (!value) {
      return BadInput(fmt::format("--extrapolate {}: expected COL>number or COL<number", text));
    }
    threshold = *value;
  }
  auto split = learn::ExtrapolationSplit(data, *column, beyond, threshold);
  if (!split.ok()) return std::move(split).error().Wrap("--extrapolate " + text);
  ValidationMethod method{
      fmt::format("extrapolation {} {} {}", name, beyond == learn::Beyond::kAbove ? ">" : "<",
                  base::RoundTrip(threshold)),
      {*std::move(split)},
      std::nullopt};
  // Selection practises growth; for the other direction folds are the better guide.
  if (beyond == learn::Beyond::kAbove) method.extrapolate = name;
  return method;
}

}  // namespace

Result<std::vector<ValidationMethod>> ValidationMethods(const ValidateRequest& request,
                                                        const learn::Dataset& data) {
  std::vector<ValidationMethod> methods;
  const base::Rng rng(request.learn.seed);
  if (request.holdout) {
    RECKON_ASSIGN(learn::Split split,
                  learn::HoldOutSplit(data.rows(), *request.holdout, rng.Fork(11)));
    methods.push_back({fmt::format("hold-out {} %", base::FormatNumber(100 * *request.holdout)),
                       {std::move(split)},
                       std::nullopt});
  }
  const bool nothing_asked =
      !request.holdout && request.interpolate.empty() && request.extrapolate.empty();
  if (request.kfold || nothing_asked) {
    const size_t folds = request.kfold.value_or(std::min<size_t>(5, data.rows()));
    RECKON_ASSIGN(auto splits, learn::KFoldSplits(data.rows(), folds, rng.Fork(12)));
    methods.push_back({fmt::format("{}-fold", folds), std::move(splits), std::nullopt});
  }
  for (const std::string& text : request.interpolate) {
    RECKON_ASSIGN(ValidationMethod method, InterpolationMethod(text, data));
    methods.push_back(std::move(method));
  }
  for (const std::string& text : request.extrapolate) {
    RECKON_ASSIGN(ValidationMethod method, ExtrapolationMethod(text, data));
    methods.push_back(std::move(method));
  }
  return methods;
}

}  // namespace reckon::app
