// A figure of a report: a chart, what it shows, and what a paper shows there.
#pragma once

#include <string>
#include <vector>

#include "app/report/page.h"
#include "base/json.h"
#include "plot/chart.h"

namespace reckon::app {

struct ReportFigure {
  plot::Chart chart;
  std::string caption;
  std::string paper;  // the figure it stands beside, and what is told of it; empty: none
  size_t rows = 0;    // samples it was made from
};

void AddFigures(const std::vector<ReportFigure>& figures, Page& page);

// Axes, lines and dots in numbers.
base::Json ToJson(const ReportFigure& figure);
base::Json ToJson(const std::vector<ReportFigure>& figures);

// Log axes suit what spans more than a factor of twenty; of all points of the chart.
void ChooseAxes(plot::Chart& chart);

// "7.03 %", or "-" when there is none.
std::string PercentOrDash(const std::optional<double>& percent);
base::Json NumberOrNull(const std::optional<double>& number);

}  // namespace reckon::app
