#include "learn/dataset.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>

#include "base/text.h"
#include "numeric/stats.h"

namespace reckon::learn {
namespace {

using base::BadInput;
using base::Result;
using core::Column;
using core::ColumnKind;
using core::Table;

constexpr size_t kLeastRows = 3;

// The first row whose text is no number; the column must be a category.
size_t FirstText(const Column& column) {
  for (size_t row = 0; row < column.size(); ++row) {
    const std::string text = column.Text(row);
    if (!text.empty() && !base::ParseNumber(base::Trim(text))) return row;
  }
  return 0;
}

base::Status CheckTarget(const Table& table, const Column& target) {
  if (target.kind() == ColumnKind::kCategory) {
    const size_t row = FirstText(target);
    return BadInput(fmt::format("{}: target '{}' is not numeric: '{}'", table.Place(row),
                                target.name(), target.Text(row)));
  }
  return {};
}

// Rows to learn from, by the policy for missing cells.
Result<std::vector<size_t>> UsableRows(const Table& table, const Column& target,
                                       const std::vector<const Column*>& inputs,
                                       MissingPolicy policy) {
  std::vector<size_t> rows;
  for (size_t row = 0; row < table.row_count; ++row) {
    if (std::isnan(target[row])) {
      if (policy == MissingPolicy::kDrop) continue;
      return BadInput(
          fmt::format("{}: target '{}' is empty; fill it in, or leave such rows out (fit and "
                      "validate: --missing drop)",
                      table.Place(row), target.name()));
    }
    const auto missing = std::find_if(inputs.begin(), inputs.end(), [&](const Column* column) {
      return std::isnan((*column)[row]);
    });
    if (missing != inputs.end() && policy != MissingPolicy::kFill) {
      if (policy == MissingPolicy::kDrop) continue;
      return BadInput(fmt::format("{}: column '{}' is empty; expected a value (--missing refuse)",
                                  table.Place(row), (*missing)->name()));
    }
    rows.push_back(row);
  }
  return rows;
}

std::vector<double> Cells(const Column& column, std::span<const size_t> rows) {
  std::vector<double> cells;
  cells.reserve(rows.size());
  for (const size_t row : rows) cells.push_back(column[row]);
  return cells;
}

void SetRange(InputColumn& input, std::span<const double> cells) {
  if (input.kind == ColumnKind::kNumber) {
    const auto [low, high] = std::minmax_element(cells.begin(), cells.end());
    input.min = *low;
    input.max = *high;
    input.typical = numeric::Median(cells);
    return;
  }
  std::map<double, size_t> counts;
  for (const double code : cells) ++counts[code];
  input.typical = std::max_element(counts.begin(), counts.end(), [](const auto& a, const auto& b) {
                    return a.second < b.second;
                  })->first;
}

// A level without rows here (they were left out, or belong to another part of the table) is not one
// the model will know.
void KeepUsedLevels(InputColumn& input, std::vector<double>& cells) {
  std::vector<double> new_code(input.levels.size(), -1);
  for (const double code : cells) {
    if (!std::isnan(code)) new_code[static_cast<size_t>(code)] = 0;
  }
  std::vector<std::string> levels;
  for (size_t level = 0; level < new_code.size(); ++level) {
    if (new_code[level] < 0) continue;
    new_code[level] = static_cast<double>(levels.size());
    levels.push_back(input.levels[level]);
  }
  for (double& code : cells) {
    if (!std::isnan(code)) code = new_code[static_cast<size_t>(code)];
  }
  input.levels = std::move(levels);
}

// A column of numbers with a stray word in it becomes a category; whoever wrote it should know.
void NoteStrayText(const Column& column, std::span<const size_t> rows, const InputColumn& input,
                   std::vector<std::string>& notes) {
  const auto is_number = [](const std::string& text) {
    return base::ParseNumber(base::Trim(text)).has_value();
  };
  const auto numbers = std::count_if(input.levels.begin(), input.levels.end(), is_number);
  const auto levels = static_cast<std::ptrdiff_t>(input.levels.size());
  if (numbers == levels || numbers * 2 < levels) return;
  for (const size_t row : rows) {
    const std::string text = column.Text(row);
    if (text.empty() || is_number(text)) continue;
    notes.push_back(
        fmt::format("column '{}' is taken as a category because of '{}' in row {}; "
                    "--numeric {} would refuse it",
                    input.name, text, row + 1, input.name));
    return;
  }
}

// Adds one input, unless it cannot help; fills missing cells.
void AddInput(const Column& column, std::span<const size_t> rows, Dataset& data,
              std::vector<std::vector<double>>& matrix) {
  std::vector<double> cells = Cells(column, rows);
  InputColumn input{.name = column.name(), .kind = column.kind(), .levels = column.levels()};
  std::vector<double> known;
  std::copy_if(cells.begin(), cells.end(), std::back_inserter(known),
               [](double cell) { return !std::isnan(cell); });
  if (known.empty()) {
    data.notes.push_back(fmt::format("column '{}' is empty: left out", input.name));
    return;
  }
  const size_t missing = cells.size() - known.size();
  double fill = 0;
  if (input.kind == ColumnKind::kNumber) {
    fill = numeric::Median(known);
  } else {
    KeepUsedLevels(input, cells);
    NoteStrayText(column, rows, input, data.notes);
    fill = static_cast<double>(input.levels.size());
    if (missing > 0) input.levels.emplace_back();
  }
  std::replace_if(
      cells.begin(), cells.end(), [](double cell) { return std::isnan(cell); }, fill);
  const size_t distinct = numeric::Distinct(cells).size();
  if (input.kind == ColumnKind::kCategory && distinct == cells.size() && cells.size() >= 10) {
    data.notes.push_back(
        fmt::format("column '{}' differs in every row (an identifier): left out", input.name));
    return;
  }
  if (missing > 0) {
    data.notes.push_back(fmt::format(
        "column '{}': {} empty cells filled with {}", input.name, missing,
        input.kind == ColumnKind::kNumber ? base::RoundTrip(fill) : "a category of their own"));
  }
  SetRange(input, cells);
  data.schema.inputs.push_back(std::move(input));
  matrix.push_back(std::move(cells));
}

void NoteConstants(Dataset& data) {
  std::vector<std::string> names;
  for (const InputColumn& input : data.schema.inputs) {
    if (!input.Varies()) names.push_back("'" + input.name + "'");
  }
  if (names.size() == 1) {
    data.notes.push_back(fmt::format(
        "column {} has the same value in every row: it only tells what was measured", names[0]));
  } else if (!names.empty()) {
    data.notes.push_back(
        fmt::format("columns {} have the same value in every row: they only tell what was measured",
                    base::Join(names, ", ")));
  }
}

}  // namespace

bool InputColumn::Varies() const {
  return kind == ColumnKind::kNumber ? min < max : levels.size() > 1;
}

std::vector<std::string> Schema::Names() const {
  std::vector<std::string> names;
  for (const InputColumn& input : inputs) names.push_back(input.name);
  return names;
}

base::Result<size_t> Schema::FindInput(const std::string& name) const {
  for (size_t j = 0; j < inputs.size(); ++j) {
    if (inputs[j].name == name) return j;
  }
  return BadInput(fmt::format("'{}' is no input column{}", name, base::SuggestFrom(name, Names())));
}

base::Result<MissingPolicy> ParseMissingPolicy(const std::string& name) {
  if (name == "fill") return MissingPolicy::kFill;
  if (name == "drop") return MissingPolicy::kDrop;
  if (name == "refuse") return MissingPolicy::kRefuse;
  return BadInput(
      fmt::format("'{}' is no policy for missing cells; expected fill, drop or refuse", name));
}

Dataset Dataset::Subset(std::span<const size_t> rows) const {
  Dataset part;
  part.schema = schema;
  part.x.resize(static_cast<Eigen::Index>(rows.size()), x.cols());
  part.y.resize(static_cast<Eigen::Index>(rows.size()));
  for (size_t i = 0; i < rows.size(); ++i) {
    const auto from = static_cast<Eigen::Index>(rows[i]);
    part.x.row(static_cast<Eigen::Index>(i)) = x.row(from);
    part.y(static_cast<Eigen::Index>(i)) = y(from);
  }
  if (rows.empty()) return part;
  for (Eigen::Index j = 0; j < x.cols(); ++j) {
    SetRange(part.schema.inputs[static_cast<size_t>(j)],
             {part.x.col(j).data(), static_cast<size_t>(part.x.rows())});
  }
  return part;
}

base::Result<Dataset> BuildDataset(const Table& table, const DatasetOptions& options) {
  const std::vector<std::string> names = table.Names();
  const auto target_index = table.Find(options.target);
  if (!target_index) {
    return BadInput(fmt::format("{}: no column '{}' to use as target{}", table.source,
                                options.target, base::SuggestFrom(options.target, names)));
  }
  const Column& target = table.columns[*target_index];
  RECKON_TRY(CheckTarget(table, target));
  for (const std::string& name : options.ignore) {
    if (!table.Find(name)) {
      return BadInput(fmt::format("{}: no column '{}' to ignore{}", table.source, name,
                                  base::SuggestFrom(name, names)));
    }
  }
  std::vector<const Column*> inputs;
  for (const Column& column : table.columns) {
    const bool ignored = std::find(options.ignore.begin(), options.ignore.end(), column.name()) !=
                         options.ignore.end();
    if (&column != &target && !ignored) inputs.push_back(&column);
  }
  RECKON_ASSIGN(const std::vector<size_t> rows, UsableRows(table, target, inputs, options.missing));

  Dataset data;
  data.schema.target = options.target;
  if (rows.size() < table.row_count) {
    data.notes.push_back(fmt::format("{} of {} rows have empty cells: left out",
                                     table.row_count - rows.size(), table.row_count));
  }
  if (rows.size() < kLeastRows) {
    return BadInput(fmt::format("{}: {} usable rows, expected at least {}", table.source,
                                rows.size(), kLeastRows));
  }
  const std::vector<double> targets = Cells(target, rows);
  if (numeric::Distinct(targets).size() == 1) {
    return BadInput(fmt::format("{}: target '{}' is {} in all {} rows; there is nothing to learn",
                                table.source, options.target, base::RoundTrip(targets.front()),
                                rows.size()));
  }
  std::vector<std::vector<double>> matrix;
  for (const Column* column : inputs) AddInput(*column, rows, data, matrix);
  NoteConstants(data);
  const bool can_learn = std::any_of(data.schema.inputs.begin(), data.schema.inputs.end(),
                                     [](const InputColumn& input) { return input.Varies(); });
  if (!can_learn) {
    return BadInput(fmt::format("{}: no usable input column beside the target '{}'{}", table.source,
                                options.target,
                                data.notes.empty() ? "" : " (" + data.notes.back() + ")"));
  }
  const auto row_count = static_cast<Eigen::Index>(rows.size());
  data.x.resize(row_count, static_cast<Eigen::Index>(matrix.size()));
  for (size_t j = 0; j < matrix.size(); ++j) {
    data.x.col(static_cast<Eigen::Index>(j)) =
        Eigen::Map<const Vector>(matrix[j].data(), row_count);
  }
  data.y = Eigen::Map<const Vector>(targets.data(), row_count);
  data.table_rows.assign(rows.begin(), rows.end());
  return data;
}

}  // namespace reckon::learn
