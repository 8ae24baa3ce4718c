#include "learn/laws/law_inputs.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <Eigen/QR>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "numeric/stats.h"

namespace reckon::learn {
namespace {

using InputForm = LawInput::Form;

constexpr double kMovesWith = 0.4;       // rank correlation
constexpr size_t kThresholdLevels = 6;   // up to this many values a moving column is thresholds
constexpr double kGivenByOthers = 1e-6;  // share of a column's variance that the others leave open
constexpr double kSmallest = 1e-300;     // what values are held above for a logarithm
constexpr double kUnbounded = std::numeric_limits<double>::max();

std::vector<double> Column(const Dataset& data, size_t j) {
  const auto column = data.x.col(static_cast<Eigen::Index>(j));
  return {column.begin(), column.end()};
}

LawInput NumberInput(const InputColumn& input, size_t j, bool hold) {
  LawInput out;
  out.column = j;
  if (input.min > 0) {
    out.form = InputForm::kLog;
    out.low = hold ? input.min : 0;
    out.high = hold ? input.max : kUnbounded;
  } else {
    out.form = InputForm::kRaw;
    out.low = input.min;
    out.high = input.max;
  }
  return out;
}

// Whether the columns of `known` and a constant give `column` almost exactly.
bool Determined(const Matrix& known, const Vector& column) {
  const Vector centred = column.array() - column.mean();
  const double total = centred.squaredNorm();
  if (!(total > 0)) return true;
  if (known.cols() == 0 || known.cols() + 1 >= known.rows()) return false;
  const Matrix base = known.rowwise() - known.colwise().mean();
  const Vector left = centred - base * base.colPivHouseholderQr().solve(centred);
  return left.squaredNorm() <= kGivenByOthers * total;
}

void Append(Matrix& matrix, const Matrix& more) {
  const Eigen::Index old = matrix.cols();
  matrix.conservativeResize(more.rows(), old + more.cols());
  matrix.rightCols(more.cols()) = more;
}

}  // namespace

double LawInput::Of(double cell) const {
  switch (form) {
    case InputForm::kLog:
      return std::log(std::clamp(cell, std::max(low, kSmallest), high));
    case InputForm::kRaw:
      return high > low ? (std::clamp(cell, low, high) - low) / (high - low) : 0;
    case InputForm::kLevel:
      return cell == static_cast<double>(level) ? 1 : 0;
    case InputForm::kThreshold:
      return cell > low ? 1 : 0;
  }
  return 0;
}

Matrix LawInputs::Apply(const std::vector<LawInput>& inputs, const Matrix& x) {
  Matrix out(x.rows(), static_cast<Eigen::Index>(inputs.size()));
  for (size_t j = 0; j < inputs.size(); ++j) {
    const auto column = x.col(static_cast<Eigen::Index>(inputs[j].column));
    for (Eigen::Index i = 0; i < x.rows(); ++i) {
      out(i, static_cast<Eigen::Index>(j)) = inputs[j].Of(column(i));
    }
  }
  return out;
}

LawInputs ChooseLawInputs(const Dataset& data, const Question& question,
                          const std::vector<size_t>& first) {
  const std::vector<InputColumn>& inputs = data.schema.inputs;
  LawInputs out;
  for (size_t j = 0; j < inputs.size(); ++j) {
    if (inputs[j].kind != core::ColumnKind::kCategory || !inputs[j].Varies()) continue;
    for (size_t level = 0; level < inputs[j].levels.size(); ++level) {
      out.levels.push_back({InputForm::kLevel, j, level, 0, 0});
    }
  }
  // The extrapolated column and those asked for come first: what they determine together with the
  // categories is left out, never the columns themselves.
  std::vector<size_t> order;
  const auto add = [&order](size_t j) {
    if (std::find(order.begin(), order.end(), j) == order.end()) order.push_back(j);
  };
  if (question.extrapolate) add(*question.extrapolate);
  for (const size_t j : first) add(j);
  const size_t kept = order.size();
  for (size_t j = 0; j < inputs.size(); ++j) add(j);
  Matrix known = LawInputs::Apply(out.levels, data.x);
  std::vector<double> leading;
  if (question.extrapolate) leading = Column(data, *question.extrapolate);
  for (size_t at = 0; at < order.size(); ++at) {
    const size_t j = order[at];
    if (inputs[j].kind != core::ColumnKind::kNumber || !inputs[j].Varies()) continue;
    const bool moves = question.extrapolate && question.extrapolate != j &&
                       std::fabs(numeric::RankCorrelation(leading, Column(data, j))) > kMovesWith;
    const LawInput input = NumberInput(inputs[j], j, moves);
    const Matrix column = LawInputs::Apply({input}, data.x);
    if (at >= kept && Determined(known, column.col(0))) continue;
    Append(known, column);
    const std::vector<double> values = numeric::Distinct(Column(data, j));
    if (moves && values.size() <= kThresholdLevels) {
      for (size_t i = 0; i + 1 < values.size(); ++i) {
        out.levels.push_back({InputForm::kThreshold, j, 0, (values[i] + values[i + 1]) / 2, 0});
      }
    } else {
      out.scaling.push_back(input);
    }
  }
  return out;
}

base::Json LawInputsToJson(const std::vector<LawInput>& inputs, const Schema& schema) {
  base::Json json = base::Json::array();
  for (const LawInput& input : inputs) {
    const InputColumn& column = schema.inputs[input.column];
    base::Json entry;
    entry["column"] = column.name;
    switch (input.form) {
      case InputForm::kLog:
        entry["form"] = "log";
        break;
      case InputForm::kRaw:
        entry["form"] = "raw";
        break;
      case InputForm::kLevel:
        entry["form"] = "level";
        entry["level"] = column.levels[input.level];
        break;
      case InputForm::kThreshold:
        entry["form"] = "threshold";
        break;
    }
    if (input.form != InputForm::kLevel) {
      entry["low"] = input.low;
      entry["high"] = input.high;
    }
    json.push_back(std::move(entry));
  }
  return json;
}

base::Result<std::vector<LawInput>> LawInputsFromJson(const base::Json& json,
                                                      const Schema& schema) {
  const auto corrupt = [](std::string_view what) {
    return base::Error(base::ErrorCode::kCorrupt, fmt::format("an input of the law {}", what));
  };
  if (!json.is_array()) return corrupt("is missing");
  std::vector<LawInput> inputs;
  for (const base::Json& entry : json) {
    if (!entry.is_object() || !entry.contains("column") || !entry["column"].is_string() ||
        !entry.contains("form") || !entry["form"].is_string()) {
      return corrupt("needs 'column' and 'form'");
    }
    LawInput input;
    const auto column = schema.FindInput(entry["column"].get<std::string>());
    if (!column.ok()) return corrupt("names a column that the model does not have");
    input.column = *column;
    const InputColumn& described = schema.inputs[input.column];
    const auto form = entry["form"].get<std::string>();
    if (form == "level") {
      input.form = InputForm::kLevel;
      const auto level = entry.contains("level") && entry["level"].is_string()
                             ? std::find(described.levels.begin(), described.levels.end(),
                                         entry["level"].get<std::string>())
                             : described.levels.end();
      if (level == described.levels.end()) return corrupt("names an unknown level");
      input.level = static_cast<size_t>(level - described.levels.begin());
    } else {
      if (form != "log" && form != "raw" && form != "threshold") return corrupt("has a bad form");
      if (described.kind != core::ColumnKind::kNumber || !entry.contains("low") ||
          !entry["low"].is_number() || !entry.contains("high") || !entry["high"].is_number()) {
        return corrupt("needs numbers");
      }
      input.form = form == "log"   ? InputForm::kLog
                   : form == "raw" ? InputForm::kRaw
                                   : InputForm::kThreshold;
      input.low = entry["low"].get<double>();
      input.high = entry["high"].get<double>();
      const double least = form == "log" ? kSmallest : input.low;
      if (form != "threshold" && !(input.low <= input.high && least <= input.high)) {
        return corrupt("has a bad range");
      }
    }
    inputs.push_back(input);
  }
  return inputs;
}

}  // namespace reckon::learn
