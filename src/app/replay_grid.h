// The recorded table as a grid of points that can be measured, and models of parts of it.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "app/context.h"
#include "app/replay.h"
#include "base/result.h"
#include "core/table.h"
#include "learn/dataset.h"
#include "learn/search/search.h"

namespace reckon::app {

struct ReplayGrid {
  core::Table table;
  learn::DatasetOptions dataset_options;
  learn::Dataset data;
  core::Table candidates;  // inputs of the points, a row each

  struct Point {
    std::vector<size_t> rows;     // of the table
    std::vector<double> targets;  // of each row
    std::vector<double> took_s;
    std::vector<double> costs;  // 0 without prices
  };
  std::vector<Point> points;
  std::vector<double> prices;  // an hour, of each point; empty: none

  double TotalTime() const;
  double TotalCost() const;
  // Rows of the table, point after point.
  std::vector<size_t> RowsOf(std::span<const size_t> chosen) const;
  size_t MostRepeats() const;
  double ShortestTime() const;
};

// Repeats of a point are in an order that the seed draws: what is first in a file is often no
// chance.
base::Result<ReplayGrid> LoadGrid(const ReplayRequest& request, const Context& context);

// What a user of `fit` would forecast.
struct GridForecast {
  learn::Vector predicted;  // at every point
  std::string technique;
  double selection_percent = 0;  // error at measured rows left out to choose the model
};

// From rows of the table.
base::Result<GridForecast> ForecastFrom(const ReplayGrid& grid, std::vector<size_t> rows,
                                        uint64_t seed, const Context& context);

// Mean absolute percentage error over the rows of the given points, of which there is at least one.
double ErrorPercent(const ReplayGrid& grid, const learn::Vector& predicted,
                    std::span<const size_t> points);

// Each point forecast from the other four fifths of the points.
base::Result<double> CrossValidatedPercent(const ReplayGrid& grid, uint64_t seed,
                                           const Context& context);

}  // namespace reckon::app
