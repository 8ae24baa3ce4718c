#include "app/forecast_chart.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>

#include "base/text.h"
#include "plot/chart.h"

namespace reckon::app {
namespace {

using core::Column;
using core::ColumnKind;
using core::Table;
using learn::Schema;

constexpr size_t kMostCurves = 8;

const Column& ColumnOf(const Table& table, const std::string& name) {
  return table.columns[*table.Find(name)];
}

bool Varies(const Column& column) {
  for (size_t row = 1; row < column.size(); ++row) {
    if (column.Text(row) != column.Text(0)) return true;
  }
  return false;
}

size_t PickXAxis(const learn::Model& model, const Table& questions) {
  const Schema& schema = model.schema;
  size_t best = 0;
  int best_rank = -1;
  for (size_t j = 0; j < schema.inputs.size(); ++j) {
    const learn::InputColumn& input = schema.inputs[j];
    const int rank = (Varies(ColumnOf(questions, input.name)) ? 4 : 0) +
                     (input.name == model.extrapolate ? 2 : 0) +
                     (input.kind == ColumnKind::kNumber ? 1 : 0);
    if (rank > best_rank) {
      best_rank = rank;
      best = j;
    }
  }
  return best;
}

// "batch 128, gpu k80" of the inputs in `columns`: rows of one curve share it.
std::string CurveKey(const Table& table, const std::vector<std::string>& columns, size_t row) {
  std::vector<std::string> parts;
  for (const std::string& name : columns) {
    parts.push_back(name + " " + ColumnOf(table, name).Text(row));
  }
  return base::Join(parts, ", ");
}

// Log axes suit counts of workers and sizes that span more than a factor of twenty.
bool WantsLog(double low, double high) { return low > 0 && high / low > 20; }

class ChartBuilder {
 public:
  explicit ChartBuilder(const ChartRequest& request)
      : request_(request),
        schema_(request.model.schema),
        x_(schema_.inputs[PickXAxis(request.model, request.questions)]) {
    for (const learn::InputColumn& input : schema_.inputs) {
      if (input.name == x_.name) continue;
      (Varies(ColumnOf(request.questions, input.name)) ? varied_ : fixed_).push_back(input.name);
    }
  }

  plot::Chart Build(std::vector<std::string>& notes) {
    chart_.title = fmt::format("{} by {}", schema_.target, x_.name);
    if (request_.questions.row_count > 0 && fixed_.size() <= 4) {
      chart_.subtitle = CurveKey(request_.questions, fixed_, 0);
    }
    chart_.x_label = x_.name;
    chart_.y_label = schema_.target;
    AddCurves();
    if (!left_out_.empty()) {
      notes.push_back(fmt::format("{} of {} curves drawn; ask for fewer combinations to see others",
                                  kMostCurves, kMostCurves + left_out_.size()));
    }
    if (varied_.size() > 1) {
      if (!chart_.subtitle.empty()) chart_.subtitle += "; ";
      chart_.subtitle += "curves: " + base::Join(varied_, ", ");
    }
    if (request_.measured != nullptr) AddDots();
    if (x_.kind == ColumnKind::kNumber) {
      chart_.measured_range = std::pair(x_.min, x_.max);
      chart_.log_x = WantsLog(low_x_, high_x_);
    }
    chart_.log_y = WantsLog(low_y_, high_y_);
    return std::move(chart_);
  }

 private:
  double XOf(const Table& table, size_t row) {
    const Column& column = ColumnOf(table, x_.name);
    if (x_.kind == ColumnKind::kNumber) return column[row];
    const std::string text = column.Text(row);
    auto found = std::find(chart_.categories.begin(), chart_.categories.end(), text);
    if (found == chart_.categories.end()) {
      found = chart_.categories.insert(found, text);
    }
    return static_cast<double>(found - chart_.categories.begin());
  }

  void See(double x, double y) {
    low_x_ = std::min(low_x_, x);
    high_x_ = std::max(high_x_, x);
    low_y_ = std::min(low_y_, y);
    high_y_ = std::max(high_y_, y);
  }

  // With several columns their names would leave no room for what differs; the subtitle has them.
  std::string CurveLabel(size_t row) const {
    if (varied_.empty()) return "forecast";
    if (varied_.size() == 1) return CurveKey(request_.questions, varied_, row);
    std::vector<std::string> parts;
    for (const std::string& name : varied_) {
      parts.push_back(ColumnOf(request_.questions, name).Text(row));
    }
    return base::Join(parts, ", ");
  }

  void AddCurves() {
    for (size_t row = 0; row < request_.questions.row_count; ++row) {
      const std::string key = CurveKey(request_.questions, varied_, row);
      if (curve_of_.size() == kMostCurves && !curve_of_.contains(key)) {
        left_out_.insert(key);
        continue;
      }
      const auto [entry, is_new] = curve_of_.try_emplace(key, curve_of_.size());
      if (is_new) {
        chart_.lines.push_back({CurveLabel(row), {}});
        chart_.bands.push_back({curve_of_.size() == 1 ? Percent() : "", {}, {}, {}});
      }
      const core::Forecast& forecast = request_.forecasts[row];
      const double x = XOf(request_.questions, row);
      chart_.lines[entry->second].points.push_back({x, forecast.predicted});
      plot::Band& band = chart_.bands[entry->second];
      band.x.push_back(x);
      band.lower.push_back(forecast.lower);
      band.upper.push_back(forecast.upper);
      See(x, forecast.predicted);
    }
  }

  std::string Percent() const {
    return fmt::format("{:.0f} % interval", 100 * request_.model.interval.level);
  }

  // A measured row belongs to a curve when its other columns equal the curve's.
  void AddDots() {
    const Table& measured = *request_.measured;
    const auto target = measured.Find(schema_.target);
    if (!target) return;
    chart_.dots.resize(chart_.lines.size());
    for (size_t i = 0; i < chart_.dots.size(); ++i) {
      chart_.dots[i].name = chart_.dots.size() == 1 ? "measured" : chart_.lines[i].name;
    }
    const std::string fixed_key = CurveKey(request_.questions, fixed_, 0);
    for (size_t row = 0; row < measured.row_count; ++row) {
      const double y = measured.columns[*target][row];
      if (std::isnan(y) || CurveKey(measured, fixed_, row) != fixed_key) continue;
      const auto curve = curve_of_.find(CurveKey(measured, varied_, row));
      if (curve == curve_of_.end()) continue;
      const double x = XOf(measured, row);
      chart_.dots[curve->second].points.push_back({x, y});
      See(x, y);
    }
  }

  const ChartRequest& request_;
  const Schema& schema_;
  const learn::InputColumn& x_;
  std::vector<std::string> varied_;
  std::vector<std::string> fixed_;
  std::map<std::string, size_t> curve_of_;
  std::set<std::string> left_out_;
  plot::Chart chart_;
  double low_x_ = INFINITY;
  double high_x_ = -INFINITY;
  double low_y_ = INFINITY;
  double high_y_ = -INFINITY;
};

}  // namespace

std::string DrawForecasts(const ChartRequest& request, std::vector<std::string>& notes) {
  return plot::RenderSvg(ChartBuilder(request).Build(notes));
}

}  // namespace reckon::app
