#include "decide/design/space.h"

#include <algorithm>
#include <cmath>

#include "learn/features/augment.h"
#include "numeric/standardise.h"
#include "numeric/stats.h"

namespace reckon::decide {
namespace {

constexpr size_t kMostTerms = 5000;  // never reached by what people measure

void AddInput(const core::Column& column, learn::Dataset& data,
              std::vector<std::vector<double>>& cells) {
  std::vector<double> values;
  std::vector<double> known;
  for (size_t row = 0; row < column.size(); ++row) {
    values.push_back(column[row]);
    if (!std::isnan(values.back())) known.push_back(values.back());
  }
  if (known.empty()) return;
  learn::InputColumn input{.name = column.name(), .kind = column.kind()};
  double fill = 0;
  if (column.kind() == core::ColumnKind::kNumber) {
    fill = numeric::Median(known);
  } else {
    input.levels = column.levels();
    fill = static_cast<double>(input.levels.size());
    if (known.size() < values.size()) input.levels.emplace_back();
  }
  std::replace_if(
      values.begin(), values.end(), [](double value) { return std::isnan(value); }, fill);
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  if (*low == *high) return;
  input.min = *low;
  input.max = *high;
  input.typical = numeric::Median(values);
  data.schema.inputs.push_back(std::move(input));
  cells.push_back(std::move(values));
}

}  // namespace

Space MakeSpace(const core::Table& candidates) {
  Space space;
  std::vector<std::vector<double>> cells;
  for (const core::Column& column : candidates.columns) AddInput(column, space.inputs, cells);
  const auto rows = static_cast<Eigen::Index>(candidates.row_count);
  space.inputs.x.resize(rows, static_cast<Eigen::Index>(cells.size()));
  for (size_t j = 0; j < cells.size(); ++j) {
    space.inputs.x.col(static_cast<Eigen::Index>(j)) =
        Eigen::Map<const learn::Vector>(cells[j].data(), rows);
  }
  space.inputs.y = learn::Vector::Zero(rows);
  const auto map =
      learn::MakeFeatures(space.inputs, {.raw = true, .inverse = true, .log = true}, kMostTerms);
  if (map && !map->terms().empty()) {
    space.features = numeric::Standardise(map->Apply(space.inputs.x)).x;
    for (const learn::Term& term : map->terms()) space.group.push_back(term.factors[0].column);
  } else {
    space.features = learn::Matrix::Zero(rows, 0);
  }
  const auto roles = learn::FindRoles(space.inputs.schema, {});
  if (roles.ok()) space.roles = *roles;
  return space;
}

}  // namespace reckon::decide
