#include "app/replay_grid.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "base/rng.h"
#include "base/text.h"
#include "learn/repeats.h"
#include "learn/validate/splits.h"

namespace reckon::app {
namespace {

using base::Result;

constexpr size_t kFolds = 5;
constexpr uint64_t kOrderStream = 11;

Result<const core::Column*> NumbersOf(const core::Table& table, const std::string& name,
                                      const char* option) {
  const auto column = table.Find(name);
  if (!column) {
    return base::BadInput(fmt::format("{}: no column '{}' ({}){}", table.source, name, option,
                                      base::SuggestFrom(name, table.Names())));
  }
  const core::Column& found = table.columns[*column];
  if (found.kind() != core::ColumnKind::kNumber) {
    return base::BadInput(
        fmt::format("{}: column '{}' ({}) is not numeric", table.source, name, option));
  }
  for (size_t row = 0; row < found.size(); ++row) {
    if (found[row] > 0) continue;
    return base::BadInput(fmt::format("{}: {} '{}' is {}; expected a number above 0",
                                      table.Place(row), option, name,
                                      std::isnan(found[row]) ? "empty" : found.Text(row)));
  }
  return &found;
}

// The inputs of the points' first rows. What is no input of the whole is none of its parts either.
void KeepInputs(ReplayGrid& grid) {
  std::vector<size_t> first_rows;
  for (const ReplayGrid::Point& point : grid.points) first_rows.push_back(point.rows.front());
  grid.candidates = grid.table.Select(first_rows);
  const std::vector<std::string> inputs = grid.data.schema.Names();
  std::erase_if(grid.candidates.columns, [&](const core::Column& column) {
    return std::find(inputs.begin(), inputs.end(), column.name()) == inputs.end();
  });
  for (const std::string& name : grid.table.Names()) {
    const auto& ignored = grid.dataset_options.ignore;
    const bool is_input = std::find(inputs.begin(), inputs.end(), name) != inputs.end();
    const bool known = std::find(ignored.begin(), ignored.end(), name) != ignored.end();
    if (!is_input && !known && name != grid.dataset_options.target) {
      grid.dataset_options.ignore.push_back(name);
    }
  }
}

}  // namespace

double ReplayGrid::TotalTime() const {
  double sum = 0;
  for (const Point& point : points) {
    sum = std::accumulate(point.took_s.begin(), point.took_s.end(), sum);
  }
  return sum;
}

double ReplayGrid::TotalCost() const {
  double sum = 0;
  for (const Point& point : points) {
    sum = std::accumulate(point.costs.begin(), point.costs.end(), sum);
  }
  return sum;
}

double ReplayGrid::ShortestTime() const {
  double shortest = INFINITY;
  for (const Point& point : points) {
    shortest = std::min(shortest, *std::min_element(point.took_s.begin(), point.took_s.end()));
  }
  return shortest;
}

size_t ReplayGrid::MostRepeats() const {
  size_t most = 1;
  for (const Point& point : points) most = std::max(most, point.rows.size());
  return most;
}

std::vector<size_t> ReplayGrid::RowsOf(std::span<const size_t> chosen) const {
  std::vector<size_t> rows;
  for (const size_t point : chosen) {
    rows.insert(rows.end(), points[point].rows.begin(), points[point].rows.end());
  }
  return rows;
}

Result<ReplayGrid> LoadGrid(const ReplayRequest& request, const Context& context) {
  if (request.target.empty()) {
    return base::BadInput("no target; name the column to forecast with --target");
  }
  ReplayGrid grid;
  RECKON_ASSIGN(grid.table, LoadData(request.data, context));
  if (grid.table.row_count == 0) {
    return base::BadInput(
        fmt::format("{}: no candidates: the table has no rows", grid.table.source));
  }
  grid.dataset_options.target = request.target;
  grid.dataset_options.ignore = request.ignore;
  const std::string time_name = request.time.empty() ? request.target : request.time;
  RECKON_ASSIGN(const core::Column* target, NumbersOf(grid.table, request.target, "--target"));
  RECKON_ASSIGN(const core::Column* time, NumbersOf(grid.table, time_name, "--time"));
  if (!request.time.empty() && request.time != request.target) {
    grid.dataset_options.ignore.push_back(request.time);
  }
  const core::Column* price = nullptr;
  if (!request.price.empty()) {
    RECKON_ASSIGN(price, NumbersOf(grid.table, request.price, "--price"));
    grid.dataset_options.ignore.push_back(request.price);
  }
  RECKON_ASSIGN(grid.data, learn::BuildDataset(grid.table, grid.dataset_options));
  const auto groups = learn::CollapseRepeats(grid.data.x, grid.data.y, learn::Middle::kMedian).rows;
  base::Rng order = base::Rng(request.seed).Fork(kOrderStream);
  for (std::vector<size_t> group : groups) {
    ReplayGrid::Point point;
    order.Shuffle(std::span(group));
    for (const size_t at : group) {
      const size_t row = grid.data.table_rows[at];
      point.rows.push_back(row);
      point.targets.push_back((*target)[row]);
      point.took_s.push_back((*time)[row]);
      point.costs.push_back(price != nullptr ? (*time)[row] / 3600 * (*price)[row] : 0);
    }
    if (price != nullptr) grid.prices.push_back((*price)[point.rows.front()]);
    grid.points.push_back(std::move(point));
  }
  KeepInputs(grid);
  return grid;
}

Result<GridForecast> ForecastFrom(const ReplayGrid& grid, std::vector<size_t> rows, uint64_t seed,
                                  const Context& context) {
  std::sort(rows.begin(), rows.end());
  RECKON_ASSIGN(const learn::Dataset data,
                learn::BuildDataset(grid.table.Select(rows), grid.dataset_options));
  learn::SearchOptions options;
  options.seed = seed;
  options.jobs = context.jobs;
  base::NoProgress silent;
  RECKON_ASSIGN(const learn::SearchOutcome found,
                learn::Search(data, options, context.stop, silent));
  RECKON_ASSIGN(const learn::EncodedInputs inputs,
                learn::EncodeInputs(grid.candidates, data.schema));
  const learn::Contender& best = found.contenders.front();
  return GridForecast{best.fitted.Predict(inputs.x), best.fitted.candidate.technique,
                      best.selection.mape_percent.value_or(0)};
}

double ErrorPercent(const ReplayGrid& grid, const learn::Vector& predicted,
                    std::span<const size_t> points) {
  double sum = 0;
  size_t rows = 0;
  for (const size_t point : points) {
    for (const double truth : grid.points[point].targets) {
      sum += std::fabs(predicted(static_cast<Eigen::Index>(point)) - truth) / truth;
      ++rows;
    }
  }
  return 100 * sum / static_cast<double>(rows);
}

Result<double> CrossValidatedPercent(const ReplayGrid& grid, uint64_t seed,
                                     const Context& context) {
  RECKON_ASSIGN(const std::vector<learn::Split> splits,
                learn::KFoldSplits(grid.points.size(), std::min(kFolds, grid.points.size()),
                                   base::Rng(seed).Fork(7)));
  context.progress.Begin("forecasting from the full grid", splits.size());
  double sum = 0;
  for (const learn::Split& split : splits) {
    auto forecast = ForecastFrom(grid, grid.RowsOf(split.train), seed, context);
    if (!forecast.ok()) {
      context.progress.End();
      return std::move(forecast).error().Wrap("forecast from a part of the full grid");
    }
    sum += ErrorPercent(grid, forecast->predicted, split.test) *
           static_cast<double>(grid.RowsOf(split.test).size());
    context.progress.Advance(1);
  }
  context.progress.End();
  return sum / static_cast<double>(grid.data.rows());
}

}  // namespace reckon::app
