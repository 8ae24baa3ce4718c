#include "app/report/figure.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"

namespace reckon::app {
namespace {

base::Json SeriesJson(const std::vector<plot::Series>& series) {
  base::Json list = base::Json::array();
  for (const plot::Series& one : series) {
    base::Json points = base::Json::array();
    for (const plot::Point& point : one.points) points.push_back({point.x, point.y});
    list.push_back({{"name", one.name}, {"points", std::move(points)}});
  }
  return list;
}

bool SpansMuch(const plot::Chart& chart, double plot::Point::*coordinate) {
  constexpr double kMuch = 20;
  double low = INFINITY;
  double high = -INFINITY;
  for (const auto* all : {&chart.lines, &chart.dots}) {
    for (const plot::Series& series : *all) {
      for (const plot::Point& point : series.points) {
        low = std::min(low, point.*coordinate);
        high = std::max(high, point.*coordinate);
      }
    }
  }
  return low > 0 && high / low > kMuch;
}

}  // namespace

void ChooseAxes(plot::Chart& chart) {
  chart.log_x = chart.categories.empty() && SpansMuch(chart, &plot::Point::x);
  chart.log_y = SpansMuch(chart, &plot::Point::y);
}

void AddFigures(const std::vector<ReportFigure>& figures, Page& page) {
  std::vector<PageFigure> drawn;
  for (const ReportFigure& figure : figures) {
    std::string caption = figure.caption;
    if (figure.rows > 0) caption += fmt::format(" From {}.", base::Count(figure.rows, "row"));
    if (!figure.paper.empty()) caption += " " + figure.paper;
    drawn.push_back({figure.chart.title, plot::RenderSvg(figure.chart), std::move(caption)});
  }
  page.Figures(drawn);
}

base::Json ToJson(const ReportFigure& figure) {
  base::Json json{{"title", figure.chart.title}};
  if (!figure.chart.subtitle.empty()) json["subtitle"] = figure.chart.subtitle;
  json["x"] = figure.chart.x_label;
  json["y"] = figure.chart.y_label;
  if (!figure.chart.categories.empty()) json["categories"] = figure.chart.categories;
  json["rows"] = figure.rows;
  if (!figure.paper.empty()) json["paper"] = figure.paper;
  json["lines"] = SeriesJson(figure.chart.lines);
  if (!figure.chart.dots.empty()) json["dots"] = SeriesJson(figure.chart.dots);
  return json;
}

base::Json ToJson(const std::vector<ReportFigure>& figures) {
  base::Json list = base::Json::array();
  for (const ReportFigure& figure : figures) list.push_back(ToJson(figure));
  return list;
}

std::string PercentOrDash(const std::optional<double>& percent) {
  return percent ? fmt::format("{:.2f} %", *percent) : "-";
}

base::Json NumberOrNull(const std::optional<double>& number) {
  return number ? base::Json(*number) : base::Json();
}

}  // namespace reckon::app
