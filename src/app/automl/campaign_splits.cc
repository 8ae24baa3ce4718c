#include "app/automl/campaign_splits.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/check.h"
#include "base/text.h"
#include "base/units.h"
#include "numeric/stats.h"

namespace reckon::app {
namespace {

using base::BadInput;
using base::Result;

// A column's cells at the rows of the dataset.
Result<std::vector<double>> Cells(const Prepared& prepared, const std::string& name,
                                  const std::string& option) {
  const auto at = prepared.table.Find(name);
  if (!at) {
    return BadInput(fmt::format("[General] {}: '{}' is no column of {}{}", option, name,
                                prepared.table.source,
                                base::SuggestFrom(name, prepared.table.Names())));
  }
  const core::Column& column = prepared.table.columns[*at];
  if (column.kind() != core::ColumnKind::kNumber) {
    return BadInput(fmt::format("[General] {}: column '{}' is not numeric", option, name));
  }
  std::vector<double> cells;
  for (const uint32_t row : prepared.data.table_rows) cells.push_back(column[row]);
  return cells;
}

// The inner values that are held out.
std::vector<double> HeldOut(const InterpolationColumn& column, const std::vector<double>& levels,
                            std::vector<std::string>& warnings) {
  std::vector<double> held_out;
  if (column.step > 0) {
    // Steps count from the smallest value, as configurations mean them.
    for (size_t i = column.step; i + 1 < levels.size(); i += column.step) {
      held_out.push_back(levels[i]);
    }
    return held_out;
  }
  for (const double value : column.values) {
    if (value > levels.front() && value < levels.back()) {
      held_out.push_back(value);
      continue;
    }
    warnings.push_back(fmt::format(
        "interpolation_columns: {} = {} is an end point of the measured range or outside it, and "
        "stays in training; holding it out would be extrapolation",
        column.name, base::RoundTrip(value)));
  }
  return held_out;
}

Result<std::vector<bool>> InterpolationRows(const Campaign& campaign, const Prepared& prepared,
                                            std::vector<std::string>& warnings) {
  std::vector<bool> is_test(prepared.data.rows(), false);
  for (const InterpolationColumn& column : campaign.interpolation) {
    RECKON_ASSIGN(const auto cells, Cells(prepared, column.name, "interpolation_columns"));
    std::vector<double> measured = cells;
    std::erase_if(measured, [](double cell) { return std::isnan(cell); });
    if (measured.empty()) continue;
    const std::vector<double> held_out = HeldOut(column, numeric::Distinct(measured), warnings);
    for (size_t row = 0; row < cells.size(); ++row) {
      if (std::find(held_out.begin(), held_out.end(), cells[row]) != held_out.end()) {
        is_test[row] = true;
      }
    }
  }
  return is_test;
}

Result<std::vector<bool>> ExtrapolationRows(const Campaign& campaign, const Prepared& prepared) {
  std::vector<bool> is_test(prepared.data.rows(), false);
  for (const auto& [name, bound] : campaign.extrapolation) {
    RECKON_ASSIGN(const auto cells, Cells(prepared, name, "extrapolation_columns"));
    for (size_t row = 0; row < cells.size(); ++row) {
      if (cells[row] > bound) is_test[row] = true;
    }
  }
  return is_test;
}

Result<ValidationMethod> ByRows(const std::string& label, const std::vector<bool>& is_test) {
  learn::Split split;
  for (size_t row = 0; row < is_test.size(); ++row) {
    (is_test[row] ? split.test : split.train).push_back(row);
  }
  if (split.train.empty() || split.test.empty()) {
    return BadInput(fmt::format("{} leaves no rows for {}", label,
                                split.train.empty() ? "training" : "validation"));
  }
  return ValidationMethod{label, {std::move(split)}, std::nullopt};
}

}  // namespace

Result<ValidationMethod> CampaignMethod(const Campaign& campaign, const Prepared& prepared,
                                        base::Rng rng, std::vector<std::string>& warnings) {
  const size_t rows = prepared.data.rows();
  switch (campaign.validation) {
    case Validation::kAll:
      break;
    case Validation::kHoldOut: {
      RECKON_ASSIGN(learn::Split split, learn::HoldOutSplit(rows, campaign.hold_out_ratio, rng));
      return ValidationMethod{
          fmt::format("hold-out {} %", base::FormatNumber(100 * campaign.hold_out_ratio)),
          {std::move(split)},
          std::nullopt};
    }
    case Validation::kKFold: {
      RECKON_ASSIGN(auto splits, learn::KFoldSplits(rows, campaign.folds, rng));
      return ValidationMethod{fmt::format("{}-fold", campaign.folds), std::move(splits),
                              std::nullopt};
    }
    case Validation::kInterpolation: {
      std::vector<std::string> names;
      for (const InterpolationColumn& column : campaign.interpolation) names.push_back(column.name);
      RECKON_ASSIGN(const auto is_test, InterpolationRows(campaign, prepared, warnings));
      return ByRows("interpolation of " + base::Join(names, ", "), is_test);
    }
    case Validation::kExtrapolation: {
      std::vector<std::string> bounds;
      for (const auto& [name, bound] : campaign.extrapolation) {
        bounds.push_back(fmt::format("{} > {}", name, base::RoundTrip(bound)));
      }
      RECKON_ASSIGN(const auto is_test, ExtrapolationRows(campaign, prepared));
      return ByRows("extrapolation " + base::Join(bounds, " or "), is_test);
    }
  }
  return BadInput("validation = All holds nothing out");
}

}  // namespace reckon::app
