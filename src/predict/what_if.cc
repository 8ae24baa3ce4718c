#include "predict/what_if.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/text.h"

namespace reckon::predict {
namespace {

using base::BadInput;
using base::Result;
using core::ColumnKind;
using learn::InputColumn;

constexpr size_t kMostCombinations = 1'000'000;
constexpr size_t kMostOfRange = 512;

base::Error BadSetting(std::string_view setting, std::string_view why) {
  return BadInput(fmt::format("--set {}: {}", setting, why));
}

base::Error TooMany(std::string_view setting) {
  return BadSetting(setting, fmt::format("more than {} values", kMostCombinations));
}

// A sum of steps carries rounding that nobody asked for: 0.30000000000000004 is 0.3.
double Tidy(double value) {
  return base::ParseNumber(fmt::format("{:.12g}", value)).value_or(value);
}

struct Range {
  std::vector<double> values;
  bool thinned = false;  // not every whole number of it
};

Result<Range> ExpandRange(std::string_view setting, std::string_view text) {
  const size_t dots = text.find("..");
  std::string_view end_text = text.substr(dots + 2);
  std::string_view step_text;
  char step_kind = 0;
  if (const size_t at = end_text.find_first_of(":*"); at != std::string_view::npos) {
    step_kind = end_text[at];
    step_text = end_text.substr(at + 1);
    end_text = end_text.substr(0, at);
  }
  const auto begin = base::ParseNumber(base::Trim(text.substr(0, dots)));
  const auto end = base::ParseNumber(base::Trim(end_text));
  const auto step = base::ParseNumber(base::Trim(step_text));
  if (!begin || !end || (step_kind != 0 && !step)) {
    return BadSetting(setting, "expected a range like 1..64, 0..100:25 or 1..64*2");
  }
  if (*begin > *end) return BadSetting(setting, "the range runs backwards");
  Range range;
  if (step_kind == '*') {
    if (!(*step > 1) || !(*begin > 0)) {
      return BadSetting(setting, "a factor must be above 1 and the range above 0");
    }
    for (double value = *begin; value <= *end * (1 + 1e-9); value *= *step) {
      if (range.values.size() == kMostCombinations) return TooMany(setting);
      range.values.push_back(Tidy(value));
    }
    return range;
  }
  if (*begin == *end) return Range{{*begin}};
  const bool whole = *begin == std::floor(*begin) && *end == std::floor(*end);
  if (!std::isfinite(*end - *begin)) return BadSetting(setting, "the range is too wide");
  double by = step_kind == ':' ? *step : (whole ? 1 : (*end - *begin) / 63);
  if (!(by > 0)) return BadSetting(setting, "the step must be above 0");
  if (step_kind == 0 && (*end - *begin) / by >= static_cast<double>(kMostOfRange)) {
    by = std::ceil((*end - *begin) / static_cast<double>(kMostOfRange - 2));
    range.thinned = true;
  }
  // A millionth of grace, so that 0..1:0.1 reaches 1 in spite of rounding.
  const double steps = std::floor((*end - *begin) / by + 1e-6);
  if (steps >= static_cast<double>(kMostCombinations)) {
    return TooMany(setting);
  }
  for (size_t i = 0; i <= static_cast<size_t>(steps); ++i) {
    range.values.push_back(Tidy(*begin + static_cast<double>(i) * by));
  }
  // Who thins must not lose the end that was asked for.
  if (range.thinned && range.values.back() < *end) range.values.push_back(*end);
  return range;
}

// The values asked for, as text for categories and as numbers otherwise.
struct Values {
  std::vector<double> numbers;
  std::vector<std::string> texts;
  size_t size() const { return std::max(numbers.size(), texts.size()); }
};

Result<Values> ParseValues(std::string_view setting, std::string_view text,
                           const InputColumn& input, std::vector<std::string>& notes) {
  auto parts = base::SplitList(text);
  if (!parts) return BadSetting(setting, base::kBadList);
  Values values;
  for (auto& [part, quoted] : *parts) {
    // A category may be empty when its quotes say so.
    if (part.empty() && !quoted) {
      return BadSetting(setting, "a value is missing; expected a value, a list 1,2,4 or a range");
    }
    if (input.kind == ColumnKind::kCategory) {
      if (!base::IsUtf8(part)) return BadSetting(setting, "the value is not UTF-8 text");
      values.texts.push_back(std::move(part));
      continue;
    }
    if (part.find("..") != std::string_view::npos) {
      RECKON_ASSIGN(const Range range, ExpandRange(setting, part));
      if (range.thinned) {
        notes.push_back(fmt::format("--set {}: thinned to {} values; a step like {}:1 asks for all",
                                    setting, range.values.size(), part));
      }
      values.numbers.insert(values.numbers.end(), range.values.begin(), range.values.end());
      continue;
    }
    const auto number = base::ParseNumber(part);
    if (!number) {
      return BadSetting(setting, fmt::format("'{}' is not a number, and column '{}' is numeric",
                                             part, input.name));
    }
    values.numbers.push_back(*number);
  }
  return values;
}

struct Setting {
  size_t column = 0;
  std::string_view values;
};

// Names may hold '=' themselves: the first one that ends a known name is the sign.
Result<Setting> ParseSetting(std::string_view setting, const learn::Schema& schema) {
  const size_t first = setting.find('=');
  if (first == std::string::npos) {
    return BadSetting(setting, "expected COLUMN=VALUES, for example workers=1..64");
  }
  for (size_t at = first; at != std::string_view::npos; at = setting.find('=', at + 1)) {
    const auto found = schema.FindInput(std::string(base::Trim(setting.substr(0, at))));
    if (found.ok()) return Setting{*found, setting.substr(at + 1)};
  }
  return schema.FindInput(std::string(base::Trim(setting.substr(0, first))))
      .error()
      .Wrap(fmt::format("--set {}", setting));
}

Values TypicalOf(const InputColumn& input) {
  if (input.kind == ColumnKind::kNumber) return {{input.typical}, {}};
  return {{}, {input.levels[static_cast<size_t>(input.typical)]}};
}

core::Column RepeatColumn(const InputColumn& input, const Values& values, size_t rows,
                          size_t repeat) {
  std::vector<double> cells(rows);
  for (size_t row = 0; row < rows; ++row) {
    const size_t pick = row / repeat % values.size();
    cells[row] =
        input.kind == ColumnKind::kNumber ? values.numbers[pick] : static_cast<double>(pick);
  }
  core::NumberVector numbers = core::NumberVector::Of(cells);
  if (input.kind == ColumnKind::kNumber) return core::Column::Numbers(input.name, numbers);
  return core::Column::Categories(input.name, values.texts, numbers);
}

}  // namespace

Result<WhatIf> BuildWhatIf(const learn::Schema& schema, const std::vector<std::string>& settings) {
  const std::vector<std::string> names = schema.Names();
  std::vector<std::optional<Values>> asked(schema.inputs.size());
  WhatIf what_if;
  for (const std::string& setting : settings) {
    RECKON_ASSIGN(const Setting parsed, ParseSetting(setting, schema));
    if (asked[parsed.column]) {
      return BadSetting(setting, fmt::format("'{}' is set twice", names[parsed.column]));
    }
    RECKON_ASSIGN(asked[parsed.column],
                  ParseValues(setting, parsed.values, schema.inputs[parsed.column], what_if.notes));
  }
  size_t rows = 1;
  for (size_t j = 0; j < asked.size(); ++j) {
    if (!asked[j]) {
      asked[j] = TypicalOf(schema.inputs[j]);
      if (!schema.inputs[j].Varies()) {  // the only value that was ever measured
        what_if.granted.push_back(names[j]);
        continue;
      }
      what_if.notes.push_back(
          fmt::format("{} not set: {} taken, its typical value in the training data", names[j],
                      asked[j]->texts.empty() ? base::RoundTrip(asked[j]->numbers.front())
                                              : "'" + asked[j]->texts.front() + "'"));
    }
    if (asked[j]->size() > 1) what_if.varied.push_back(j);
    rows *= asked[j]->size();
    if (rows > kMostCombinations) {
      return BadInput(fmt::format("the settings make more than {} combinations; ask for fewer",
                                  kMostCombinations));
    }
  }
  what_if.questions.source = "the question";
  what_if.questions.row_count = rows;
  size_t repeat = rows;
  for (size_t j = 0; j < asked.size(); ++j) {
    repeat /= asked[j]->size();
    what_if.questions.columns.push_back(RepeatColumn(schema.inputs[j], *asked[j], rows, repeat));
  }
  return what_if;
}

}  // namespace reckon::predict
