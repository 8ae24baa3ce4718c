#include "decide/recommend/configuration_inputs.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <string>

#include "base/text.h"

namespace reckon::decide {
namespace {

using Index = Eigen::Index;

// Slopes of log time and how sure they are, before anything was tried: broad enough for jobs that
// do not scale (0) and for those that scale at their best (-1).
struct Usual {
  double slope;
  double deviation;
};
constexpr Usual kMachines{-0.7, 0.3};
constexpr Usual kProcessors{-0.6, 0.3};
constexpr Usual kMemory{-0.1, 0.3};
constexpr Usual kOther{0, 0.4};  // of a column with deviation 1
constexpr Usual kLevel{0, 0.2};

bool Names(const std::string& name, std::initializer_list<const char*> words) {
  const std::string lower = base::ToLower(name);
  return std::any_of(words.begin(), words.end(),
                     [&](const char* word) { return lower.find(word) != std::string::npos; });
}

// Means where a cell is missing.
Vector CellsOf(const core::Column& column) {
  Vector cells(static_cast<Index>(column.size()));
  double sum = 0;
  double count = 0;
  for (size_t row = 0; row < column.size(); ++row) {
    cells(static_cast<Index>(row)) = column[row];
    if (std::isnan(column[row])) continue;
    sum += column[row];
    ++count;
  }
  return cells.unaryExpr([&](double cell) { return std::isnan(cell) ? sum / count : cell; });
}

bool Differs(const Vector& cells) {
  return cells.size() > 0 && cells.maxCoeff() > cells.minCoeff();
}

Vector Centred(const Vector& cells) { return cells.array() - cells.mean(); }

Vector Standardised(const Vector& cells) {
  const Vector centred = Centred(cells);
  const double deviation =
      std::sqrt(centred.squaredNorm() / static_cast<double>(std::max<Index>(1, centred.size())));
  return deviation > 0 ? Vector(centred / deviation) : centred;
}

class Builder {
 public:
  explicit Builder(const core::Table& table) : table_(table) {
    for (size_t i = 0; i < table.columns.size(); ++i) {
      const core::Column& column = table.columns[i];
      if (column.kind() != core::ColumnKind::kNumber) continue;
      if (!processors_ && Names(column.name(), {"cpu", "core"})) {
        processors_ = i;
      } else if (!memory_ && Names(column.name(), {"mem", "ram"})) {
        memory_ = i;
      } else if (!machines_ && Names(column.name(), {"worker", "node", "machine", "instance"})) {
        machines_ = i;
      }
    }
  }

  ConfigurationInputs Build() && {
    for (size_t i = 0; i < table_.columns.size(); ++i) {
      if (table_.columns[i].kind() == core::ColumnKind::kNumber) {
        AddNumber(i);
      } else {
        AddCategory(table_.columns[i]);
      }
    }
    ConfigurationInputs inputs;
    const auto rows = static_cast<Index>(table_.row_count);
    inputs.size = Vector::Zero(rows);
    for (const auto& part : {processors_, memory_}) {
      if (!machines_ || !part) continue;
      const Vector all = Logs(*machines_) + Logs(*part);
      if (part == memory_) inputs.log_all_memory = all;
      if (Differs(all)) AddNear({Standardised(all)});
    }
    for (const auto& part : {machines_, memory_}) {
      if (part) inputs.size += Logs(*part);
    }
    inputs.size = Standardised(inputs.size);
    inputs.linear = Together(linear_, rows);
    inputs.usual_slope =
        Eigen::Map<const Vector>(slopes_.data(), static_cast<Index>(slopes_.size()));
    inputs.slope_deviation =
        Eigen::Map<const Vector>(deviations_.data(), static_cast<Index>(deviations_.size()));
    inputs.nearness = Together(near_, rows);
    inputs.group = std::move(group_);
    return inputs;
  }

 private:
  static Matrix Together(const std::vector<Vector>& columns, Index rows) {
    Matrix matrix(rows, static_cast<Index>(columns.size()));
    for (size_t i = 0; i < columns.size(); ++i) matrix.col(static_cast<Index>(i)) = columns[i];
    return matrix;
  }

  Vector Logs(size_t column) const {
    const Vector cells = CellsOf(table_.columns[column]);
    return cells.minCoeff() > 0 ? Vector(cells.array().log()) : cells;
  }

  void AddLinear(Vector column, const Usual& usual) {
    linear_.push_back(std::move(column));
    slopes_.push_back(usual.slope);
    deviations_.push_back(usual.deviation);
  }
  void AddNear(std::vector<Vector> columns) {
    for (Vector& column : columns) {
      near_.push_back(std::move(column));
      group_.push_back(groups_);
    }
    ++groups_;
  }

  void AddNumber(size_t i) {
    const Vector logs = Logs(i);
    if (!Differs(logs)) return;
    if (machines_ == i) {
      AddLinear(Centred(logs), kMachines);
    } else if (processors_ == i) {
      AddLinear(Centred(logs), kProcessors);
    } else if (memory_ == i) {
      AddLinear(Centred(logs), kMemory);
    } else {
      AddLinear(Standardised(logs), kOther);
    }
    AddNear({Standardised(logs)});
  }

  void AddCategory(const core::Column& column) {
    std::vector<Vector> levels;
    for (size_t level = 0; level < column.levels().size(); ++level) {
      Vector is(static_cast<Index>(column.size()));
      for (size_t row = 0; row < column.size(); ++row) {
        is(static_cast<Index>(row)) = column[row] == static_cast<double>(level) ? 1 : 0;
      }
      if (!Differs(is)) continue;
      AddLinear(Centred(is), kLevel);
      levels.push_back(std::move(is));
    }
    if (!levels.empty()) AddNear(std::move(levels));
  }

  const core::Table& table_;
  std::optional<size_t> machines_;
  std::optional<size_t> processors_;
  std::optional<size_t> memory_;
  std::vector<Vector> linear_;
  std::vector<double> slopes_;
  std::vector<double> deviations_;
  std::vector<Vector> near_;
  std::vector<size_t> group_;
  size_t groups_ = 0;
};

}  // namespace

ConfigurationInputs InputsOfConfigurations(const core::Table& configurations) {
  return Builder(configurations).Build();
}

}  // namespace reckon::decide
