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

Result<std::vector<double>> ExpandRange(std::string_view setting, std::string_view text) {
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
  std::vector<double> values;
  // Half a step of grace, so that 0..1:0.1 reaches 1 in spite of rounding.
  if (step_kind == '*') {
    if (!(*step > 1) || !(*begin > 0)) {
      return BadSetting(setting, "a factor must be above 1 and the range above 0");
    }
    for (double value = *begin; value <= *end * (1 + 1e-9); value *= *step) values.push_back(value);
    return values;
  }
  const bool whole = *begin == std::floor(*begin) && *end == std::floor(*end);
  double by = step_kind == ':' ? *step : (whole ? 1 : (*end - *begin) / 63);
  if (*begin == *end) return std::vector<double>{*begin};
  if (!(by > 0)) return BadSetting(setting, "the step must be above 0");
  const double count = std::floor((*end - *begin) / by + 0.5 * 1e-6) + 1;
  if (step_kind == 0 && count > static_cast<double>(kMostOfRange)) {
    by = std::ceil((*end - *begin) / static_cast<double>(kMostOfRange - 1));
  } else if (count > static_cast<double>(kMostCombinations)) {
    return BadSetting(setting, fmt::format("more than {} values", kMostCombinations));
  }
  const auto steps = static_cast<size_t>(std::floor((*end - *begin) / by + 1e-6));
  for (size_t i = 0; i <= steps; ++i) values.push_back(*begin + static_cast<double>(i) * by);
  return values;
}

// The values asked for, as text for categories and as numbers otherwise.
struct Values {
  std::vector<double> numbers;
  std::vector<std::string> texts;
  size_t size() const { return std::max(numbers.size(), texts.size()); }
};

Result<Values> ParseValues(std::string_view setting, std::string_view text,
                           const InputColumn& input) {
  Values values;
  if (input.kind == ColumnKind::kCategory) {
    for (const std::string_view part : base::Split(text, ',')) {
      values.texts.emplace_back(base::Trim(part));
    }
    return values;
  }
  for (const std::string_view part : base::Split(text, ',')) {
    if (part.find("..") != std::string_view::npos) {
      RECKON_ASSIGN(const std::vector<double> range, ExpandRange(setting, part));
      values.numbers.insert(values.numbers.end(), range.begin(), range.end());
      continue;
    }
    const auto number = base::ParseNumber(base::Trim(part));
    if (!number) {
      return BadSetting(setting, fmt::format("'{}' is not a number, and column '{}' is numeric",
                                             part, input.name));
    }
    values.numbers.push_back(*number);
  }
  return values;
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
  for (const std::string& setting : settings) {
    const size_t equals = setting.find('=');
    if (equals == std::string::npos) {
      return BadSetting(setting, "expected COLUMN=VALUES, for example workers=1..64");
    }
    const std::string name(base::Trim(std::string_view(setting).substr(0, equals)));
    auto found = schema.FindInput(name);
    if (!found.ok()) return std::move(found).error().Wrap("--set " + setting);
    const size_t column = *found;
    if (asked[column]) return BadSetting(setting, fmt::format("'{}' is set twice", name));
    RECKON_ASSIGN(asked[column], ParseValues(setting, std::string_view(setting).substr(equals + 1),
                                             schema.inputs[column]));
  }
  WhatIf what_if;
  size_t rows = 1;
  for (size_t j = 0; j < asked.size(); ++j) {
    if (!asked[j]) {
      asked[j] = TypicalOf(schema.inputs[j]);
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
