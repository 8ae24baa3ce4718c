// From a table of measurements to what learners see: a matrix of inputs, a vector of targets, and a
// Schema that remembers what the columns mean.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "core/table.h"
#include "numeric/matrix.h"

namespace reckon::learn {

using numeric::Matrix;
using numeric::Vector;

// One input column as the training data had it.
struct InputColumn {
  std::string name;
  core::ColumnKind kind = core::ColumnKind::kNumber;
  double min = 0;  // numbers: the measured range
  double max = 0;
  double typical = 0;               // median, or the most frequent category's code
  std::vector<std::string> levels;  // categories; "" stands for a missing cell

  // More than one value was measured; otherwise there is nothing to learn from the column.
  bool Varies() const;
};

struct Schema {
  std::string target;
  std::vector<InputColumn> inputs;

  std::vector<std::string> Names() const;
  // Index of the input of that name. kBadInput, with the nearest name, when there is none.
  base::Result<size_t> FindInput(const std::string& name) const;
};

// A matrix cell of a category column holds the index of its level.
struct Dataset {
  Schema schema;
  Matrix x;  // rows x inputs, never NaN
  Vector y;
  std::vector<std::string> notes;  // what was left out or filled in, in words
  // Row of the table that each row came from; empty in a Subset.
  std::vector<uint32_t> table_rows;

  size_t rows() const { return static_cast<size_t>(y.size()); }
  // The given rows, with the Schema's ranges taken from them alone; levels stay those of the whole.
  Dataset Subset(std::span<const size_t> rows) const;
};

// What to do with a row that has a missing cell.
enum class MissingPolicy {
  kFill,    // inputs: median, or a category of its own; a missing target is refused
  kDrop,    // leave the row out
  kRefuse,  // an error
};
base::Result<MissingPolicy> ParseMissingPolicy(const std::string& name);

struct DatasetOptions {
  std::string target;
  std::vector<std::string> ignore;  // columns that are no inputs
  MissingPolicy missing = MissingPolicy::kFill;
};

// kBadInput, naming the line where there is one: target not there, not numeric, missing or all
// equal; fewer than three rows; no input column that varies; an unknown name in `ignore`.
// Categories that differ in every row (identifiers) are left out with a note; constant columns
// stay, since a question with another value is outside what was measured.
base::Result<Dataset> BuildDataset(const core::Table& table, const DatasetOptions& options);

// Inputs of new rows, in the order of the Schema.
struct EncodedInputs {
  Matrix x;                                        // an unseen category is -1
  std::vector<std::vector<std::string>> problems;  // per row: unseen or missing cells, in words
};

// kBadInput when a column of the schema that varied is not in the table, or one holds text where
// the model was given numbers.
base::Result<EncodedInputs> EncodeInputs(const core::Table& table, const Schema& schema);

}  // namespace reckon::learn
