// EncodeInputs of learn/dataset.h: new rows in the terms of a Schema.
#include <cmath>
#include <unordered_map>

#include <fmt/format.h>

#include "base/text.h"
#include "learn/dataset.h"

namespace reckon::learn {
namespace {

using base::BadInput;
using core::Column;
using core::ColumnKind;
using core::Table;

base::Status EncodeNumbers(const Table& table, const Column& column, const InputColumn& input,
                           Eigen::Index j, EncodedInputs& out) {
  for (size_t row = 0; row < table.row_count; ++row) {
    double cell = column[row];
    if (!std::isnan(cell) && column.kind() == ColumnKind::kCategory) {
      const std::string text = column.Text(row);
      const auto number = base::ParseNumber(base::Trim(text));
      if (!number) {
        return BadInput(fmt::format("{}, column '{}': '{}' is not a number, as it was in training",
                                    table.Place(row), input.name, text));
      }
      cell = *number;
    }
    if (std::isnan(cell)) {
      out.problems[row].push_back(
          fmt::format("{} is empty: {} assumed", input.name, base::RoundTrip(input.typical)));
      cell = input.typical;
    }
    out.x(static_cast<Eigen::Index>(row), j) = cell;
  }
  return {};
}

void EncodeCategories(const Table& table, const Column& column, const InputColumn& input,
                      Eigen::Index j, EncodedInputs& out) {
  std::unordered_map<std::string, double> codes;
  for (size_t i = 0; i < input.levels.size(); ++i) {
    codes.emplace(input.levels[i], static_cast<double>(i));
  }
  for (size_t row = 0; row < table.row_count; ++row) {
    const std::string text = column.Text(row);
    const auto known = codes.find(text);
    if (known == codes.end()) {
      out.problems[row].push_back(fmt::format("{} = '{}' was never measured", input.name, text));
    }
    out.x(static_cast<Eigen::Index>(row), j) = known == codes.end() ? -1 : known->second;
  }
}

}  // namespace

base::Result<EncodedInputs> EncodeInputs(const Table& table, const Schema& schema) {
  std::vector<std::string> absent;
  for (const InputColumn& input : schema.inputs) {
    if (input.Varies() && !table.Find(input.name)) absent.push_back(input.name);
  }
  if (!absent.empty()) {
    return BadInput(fmt::format("{} has no column {}; the model was made for: {}", table.source,
                                base::Join(absent, ", "), base::Join(schema.Names(), ", ")));
  }
  EncodedInputs out;
  out.x.resize(static_cast<Eigen::Index>(table.row_count),
               static_cast<Eigen::Index>(schema.inputs.size()));
  out.problems.resize(table.row_count);
  for (size_t j = 0; j < schema.inputs.size(); ++j) {
    const InputColumn& input = schema.inputs[j];
    const auto place = table.Find(input.name);
    if (!place) {  // it had one value only, and nothing else was asked for
      out.x.col(static_cast<Eigen::Index>(j)).setConstant(input.typical);
      continue;
    }
    const Column& column = table.columns[*place];
    if (input.kind == ColumnKind::kNumber) {
      RECKON_TRY(EncodeNumbers(table, column, input, static_cast<Eigen::Index>(j), out));
    } else {
      EncodeCategories(table, column, input, static_cast<Eigen::Index>(j), out);
    }
  }
  return out;
}

}  // namespace reckon::learn
