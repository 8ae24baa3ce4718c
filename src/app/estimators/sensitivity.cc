#include "app/estimators/sensitivity.h"

#include <algorithm>

#include "numeric/stats.h"

namespace reckon::app {
namespace {

std::vector<double> NumbersOf(const core::Column& column) {
  std::vector<double> numbers;
  for (size_t row = 0; row < column.size(); ++row) numbers.push_back(column[row]);
  return numbers;
}

// Mean of `outputs` where the input is among the lowest or highest third of its values.
double MeanAtEnd(const std::vector<double>& inputs, const std::vector<double>& outputs, bool high) {
  std::vector<double> sorted = inputs;
  std::sort(sorted.begin(), sorted.end());
  const size_t third = (sorted.size() - 1) / 3;
  const double bound = high ? sorted[sorted.size() - 1 - third] : sorted[third];
  double sum = 0;
  double count = 0;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (high ? inputs[i] < bound : inputs[i] > bound) continue;
    sum += outputs[i];
    ++count;
  }
  return sum / count;
}

}  // namespace

std::vector<SensitivityRow> SensitivityOf(const EstimatorData& data) {
  std::vector<SensitivityRow> rows;
  const std::vector<double> outputs = NumbersOf(data.table.columns[*data.table.Find(data.target)]);
  for (const core::Column& column : data.table.columns) {
    if (column.name() == data.target) continue;
    const std::vector<double> inputs = NumbersOf(column);
    rows.push_back({data.node_type, data.function, column.name(),
                    numeric::RankCorrelation(inputs, outputs), MeanAtEnd(inputs, outputs, false),
                    MeanAtEnd(inputs, outputs, true)});
  }
  return rows;
}

}  // namespace reckon::app
