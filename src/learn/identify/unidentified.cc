#include "learn/identify/unidentified.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include <Eigen/QR>
#include <fmt/format.h>

#include "base/text.h"
#include "numeric/stats.h"

namespace reckon::learn {
namespace {

using Kind = Unidentified::Kind;
using Eigen::Index;

constexpr double kTogether = 0.995;   // rank correlation
constexpr double kDetermined = 1e-6;  // share of variance that the others leave open
constexpr double kTakesPart = 1e-3;   // least power of a column that determines another
constexpr std::array<std::pair<Kind, std::string_view>, 6> kNames{
    {{Kind::kConstant, "constant"},
     {Kind::kTogether, "together"},
     {Kind::kDetermined, "determined"},
     {Kind::kOneSetting, "one setting"},
     {Kind::kFrozen, "frozen"},
     {Kind::kUncertain, "uncertain"}}};

// All rows, or evenly many of very many; fewer of wide tables, which have many pairs of columns.
Matrix SomeRows(const Matrix& all) {
  const Index most = std::min<Index>(kIdentifyRows, 20 * kIdentifyRows / all.cols());
  if (all.rows() <= most) return all;
  Matrix some(most, all.cols());
  for (Index i = 0; i < most; ++i) some.row(i) = all.row(i * all.rows() / most);
  return some;
}

std::vector<double> Cells(const Matrix& x, size_t column) {
  const auto cells = x.col(static_cast<Index>(column));
  return {cells.begin(), cells.end()};
}

bool IsNumber(const InputColumn& input) { return input.kind == core::ColumnKind::kNumber; }

// "workers=16", "gpu=k80".
std::string Setting(const InputColumn& input, double cell) {
  return fmt::format("{}={}", input.name,
                     IsNumber(input) ? base::RoundTrip(cell)
                                     : input.levels[static_cast<size_t>(std::max(cell, 0.0))]);
}

Unidentified Constant(const InputColumn& input) {
  Unidentified found{Kind::kConstant, {input.name}, "", ""};
  if (!IsNumber(input)) {
    found.what = fmt::format("{} was always {}", input.name, input.levels.front());
    found.next = fmt::format("measure one configuration again with another {}", input.name);
    return found;
  }
  const double other = input.max == 0 ? 1 : 2 * input.max;
  found.what = fmt::format("{} was always {}", input.name, base::RoundTrip(input.max));
  found.next = fmt::format("measure one configuration again with {} in place of {}",
                           Setting(input, other), base::RoundTrip(input.max));
  return found;
}

// The larger value of one with the smaller value of the other.
Unidentified Together(const Schema& schema, size_t a, size_t b, double correlation) {
  const InputColumn& first = schema.inputs[a];
  const InputColumn& second = schema.inputs[b];
  const double apart = correlation > 0 ? second.min : second.max;
  return {Kind::kTogether,
          {first.name, second.name},
          fmt::format("{} and {} always {}", first.name, second.name,
                      correlation > 0 ? "move together" : "move in opposite directions"),
          fmt::format("measure {} with {}: so far no row sets one without the other",
                      Setting(first, first.max), Setting(second, apart))};
}

// Logarithms where they exist: products and quotients of columns are then sums.
Vector Centred(const Matrix& x, const Schema& schema, size_t column) {
  Vector cells = x.col(static_cast<Index>(column));
  if (schema.inputs[column].min > 0) cells = cells.array().log();
  return cells.array() - cells.mean();
}

// The earlier columns that give `column`, if they do.
std::vector<size_t> DeterminedBy(const Matrix& x, const Schema& schema, size_t column,
                                 const std::vector<size_t>& earlier) {
  const Vector target = Centred(x, schema, column);
  if (earlier.size() < 2 || static_cast<Index>(earlier.size()) + 2 > x.rows()) return {};
  Matrix known(x.rows(), static_cast<Index>(earlier.size()));
  for (size_t j = 0; j < earlier.size(); ++j) {
    known.col(static_cast<Index>(j)) = Centred(x, schema, earlier[j]);
  }
  const Vector weights = known.colPivHouseholderQr().solve(target);
  if ((target - known * weights).squaredNorm() > kDetermined * target.squaredNorm()) return {};
  std::vector<size_t> by;
  for (size_t j = 0; j < earlier.size(); ++j) {
    if (std::fabs(weights(static_cast<Index>(j))) > kTakesPart) by.push_back(earlier[j]);
  }
  return by;
}

Unidentified Determined(const Schema& schema, size_t column, const std::vector<size_t>& by) {
  Unidentified found{Kind::kDetermined, {schema.inputs[column].name}, "", ""};
  std::vector<std::string> names;
  std::vector<std::string> settings;
  for (const size_t j : by) {
    names.push_back(schema.inputs[j].name);
    const InputColumn& input = schema.inputs[j];
    settings.push_back(Setting(input, IsNumber(input) ? input.max : input.typical));
    found.columns.push_back(names.back());
  }
  found.what = fmt::format("{} follows from {}", found.columns.front(), base::Join(names, ", "));
  found.next = fmt::format("measure {} with {}, unless it is computed from them",
                           Setting(schema.inputs[column], schema.inputs[column].min),
                           base::Join(settings, ", "));
  return found;
}

// Whether every level of the category goes with one value of the number.
bool GivenByCategory(const Matrix& x, const Schema& schema, size_t category, size_t number) {
  const InputColumn& input = schema.inputs[category];
  if (IsNumber(input) || !input.Varies()) return false;
  // So many levels that hardly any comes twice would give anything.
  if (2 * input.levels.size() > static_cast<size_t>(x.rows())) return false;
  std::vector<std::optional<double>> value(input.levels.size());
  for (Index i = 0; i < x.rows(); ++i) {
    auto& known = value[static_cast<size_t>(x(i, static_cast<Index>(category)))];
    const double cell = x(i, static_cast<Index>(number));
    if (known.value_or(cell) != cell) return false;
    known = cell;
  }
  return true;
}

std::optional<size_t> CategoryThatGives(const Matrix& x, const Schema& schema, size_t number) {
  for (size_t j = 0; j < schema.inputs.size(); ++j) {
    if (GivenByCategory(x, schema, j, number)) return j;
  }
  return std::nullopt;
}

void AddNumberPairs(const Matrix& all, const Schema& schema, std::vector<Unidentified>& found) {
  const Matrix x = SomeRows(all);
  std::vector<size_t> free;  // numbers that nothing earlier gives
  for (size_t j = 0; j < schema.inputs.size(); ++j) {
    if (!IsNumber(schema.inputs[j]) || !schema.inputs[j].Varies()) continue;
    if (const auto category = CategoryThatGives(all, schema, j)) {
      found.push_back(Determined(schema, j, {*category}));
      continue;
    }
    const std::vector<double> cells = Cells(x, j);
    std::optional<Unidentified> twin;
    for (const size_t other : free) {
      if (std::fabs(numeric::RankCorrelation(Cells(x, other), cells)) < kTogether) continue;
      const double correlation = numeric::RankCorrelation(Cells(all, other), Cells(all, j));
      if (std::fabs(correlation) < kTogether) continue;
      twin = Together(schema, other, j, correlation);
      break;
    }
    if (twin) {
      found.push_back(*std::move(twin));
      continue;
    }
    const std::vector<size_t> by = DeterminedBy(x, schema, j, free);
    if (by.size() > 1 && DeterminedBy(all, schema, j, by) == by) {
      found.push_back(Determined(schema, j, by));
    } else {
      free.push_back(j);
    }
  }
}

// Levels of categories that were measured at one value of the scaling column.
void AddOneSetting(const Matrix& x, const Schema& schema, size_t scaling,
                   std::vector<Unidentified>& found) {
  const InputColumn& along = schema.inputs[scaling];
  if (!IsNumber(along) || !along.Varies()) return;
  for (size_t j = 0; j < schema.inputs.size(); ++j) {
    const InputColumn& input = schema.inputs[j];
    if (IsNumber(input) || !input.Varies()) continue;
    std::vector<std::optional<double>> first(input.levels.size());
    std::vector<bool> several(input.levels.size(), false);
    for (Index i = 0; i < x.rows(); ++i) {
      const auto level = static_cast<size_t>(x(i, static_cast<Index>(j)));
      const double cell = x(i, static_cast<Index>(scaling));
      if (!first[level]) first[level] = cell;
      if (*first[level] != cell) several[level] = true;
    }
    for (size_t level = 0; level < input.levels.size(); ++level) {
      if (!first[level] || several[level]) continue;
      const double only = *first[level];
      const double far = only - along.min > along.max - only ? along.min : along.max;
      const std::string name = Setting(input, static_cast<double>(level));
      found.push_back({Kind::kOneSetting,
                       {input.name, along.name},
                       fmt::format("{} was measured at {} only; how it scales is taken from others",
                                   name, Setting(along, only)),
                       fmt::format("measure {} with {}", name, Setting(along, far))});
    }
  }
}

}  // namespace

std::string_view UnidentifiedName(Kind kind) {
  return std::find_if(kNames.begin(), kNames.end(),
                      [&](const auto& entry) { return entry.first == kind; })
      ->second;
}

base::Result<Kind> ParseUnidentified(std::string_view name) {
  for (const auto& [kind, text] : kNames) {
    if (text == name) return kind;
  }
  return base::Error(base::ErrorCode::kCorrupt,
                     fmt::format("'{}' is no kind of what data cannot tell", name));
}

std::vector<Unidentified> FindUnidentified(const Dataset& data, const Roles& roles,
                                           const Question& question) {
  std::vector<Unidentified> found;
  for (const InputColumn& input : data.schema.inputs) {
    if (!input.Varies()) found.push_back(Constant(input));
  }
  AddNumberPairs(data.x, data.schema, found);
  const std::optional<size_t> scaling = question.extrapolate ? question.extrapolate : roles.workers;
  if (scaling) AddOneSetting(data.x, data.schema, *scaling, found);
  return found;
}

}  // namespace reckon::learn
