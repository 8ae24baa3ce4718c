#include "app/report/nodes_section.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/report/mean_lines.h"
#include "app/report/papers.h"
#include "base/units.h"
#include "core/node.h"
#include "numeric/stats.h"

namespace reckon::app {
namespace {

constexpr const char* kNodeType = "node type";

struct Sensitivity {
  const char* x;
  const char* y;
  const char* paper;
};

constexpr std::array<Sensitivity, 12> kSensitivities{{
    {"gpu_before", "gpu_p95", "Deep-Edge, Fig. 5: use of the GPU before and while training."},
    {"cpu_before", "cpu_p95", "Deep-Edge, Fig. 5: use of the CPU before and while training."},
    {"memory_before", "memory_p95", "Deep-Edge, Fig. 5: use of memory before and while training."},
    {"gpu_before", "compute_per_sample_s", "Deep-Edge, Fig. 9(a): grows with use of the GPU."},
    {"cpu_before", "compute_per_sample_s",
     "Deep-Edge, Figs. 4 and 9(b): grows with use of the CPU."},
    {"batch", "compute_per_sample_s", "Deep-Edge, Fig. 9(c): falls with the batch."},
    {"batch", "memory_p95", "Deep-Edge, Fig. 9(d): grows with the batch."},
    {"batch", "exchange_s", "Deep-Edge, Fig. 9(e): falls with the batch."},
    {"server_cpu_before", "exchange_s", "Deep-Edge, Fig. 9(f): grows with use of the server."},
    {"workers", "exchange_s", "Deep-Edge: grows with the number of workers."},
    {"cpu_before", "latency_s", ""},
    {"cpu_mean", "latency_s", ""},
}};

void AddNodeTypes(core::Table& nodes) {
  const auto host = nodes.Find("host");
  std::vector<std::string> levels;
  std::vector<double> codes;
  for (size_t row = 0; row < nodes.row_count; ++row) {
    const std::string type = host ? core::TypeOfNode(nodes.columns[*host].Text(row)) : "host";
    const auto found = std::find(levels.begin(), levels.end(), type);
    codes.push_back(static_cast<double>(found - levels.begin()));
    if (found == levels.end()) levels.push_back(type);
  }
  nodes.columns.push_back(
      core::Column::Categories(kNodeType, std::move(levels), core::NumberVector::Of(codes)));
}

// Measured levels are never the same twice: their means are taken by tenths of the range.
void AddBinned(const std::string& name, core::Table& table) {
  constexpr size_t kMostValues = 12;
  constexpr double kBins = 10;
  const std::vector<double> values = ValuesIn(table, name);
  const core::Column& column = *NumbersIn(table, name);
  std::vector<double> binned;
  for (size_t row = 0; row < table.row_count; ++row) {
    double value = column[row];
    if (values.size() > kMostValues && !std::isnan(value)) {
      const double width = (values.back() - values.front()) / kBins;
      const double bin = std::min(std::floor((value - values.front()) / width), kBins - 1);
      value = values.front() + (bin + 0.5) * width;
    }
    binned.push_back(value);
  }
  table.columns.push_back(core::Column::Numbers("binned", core::NumberVector::Of(binned)));
}

// Dots of a type get the colour of its line by its name.
std::vector<plot::Series> DotsOf(const core::Table& table, const Sensitivity& what,
                                 const std::vector<plot::Series>& lines) {
  const core::Column& x = *NumbersIn(table, what.x);
  const core::Column& y = *NumbersIn(table, what.y);
  const core::Column& type = table.columns[*table.Find(kNodeType)];
  std::vector<plot::Series> dots;
  for (const plot::Series& line : lines) {
    dots.push_back({line.name, {}});
    for (size_t row = 0; row < table.row_count; ++row) {
      // A line without a name is that of the only type.
      const bool own = line.name.empty() || type.Text(row) == line.name;
      if (own && !std::isnan(x[row]) && !std::isnan(y[row])) {
        dots.back().points.push_back({x[row], y[row]});
      }
    }
  }
  return dots;
}

// What share of the hosts in runs took at most so long for a step on average, by type of node.
std::optional<ReportFigure> StepTimes(const core::Table& nodes) {
  const core::Column* compute = NumbersIn(nodes, "compute_s");
  if (compute == nullptr) return std::nullopt;
  const core::Column& type = nodes.columns[*nodes.Find(kNodeType)];
  std::map<std::string, std::vector<double>> steps;
  for (size_t row = 0; row < nodes.row_count; ++row) {
    const double step_s = (*compute)[row] + NumberAt(nodes, "exchange_s", row, 0);
    if (step_s > 0) steps[type.Text(row)].push_back(step_s);
  }
  ReportFigure figure;
  figure.chart.title = "Time of a step by type of node";
  figure.chart.x_label = "step_s";
  figure.chart.y_label = "share that took at most so long";
  for (auto& [name, times] : steps) {
    std::sort(times.begin(), times.end());
    plot::Series line{fmt::format("{}, mean {} s", name, base::FormatNumber(numeric::Mean(times))),
                      {}};
    for (size_t i = 0; i < times.size(); ++i) {
      line.points.push_back(
          {times[i], static_cast<double>(i + 1) / static_cast<double>(times.size())});
    }
    figure.rows += times.size();
    figure.chart.lines.push_back(std::move(line));
  }
  if (figure.rows < 2) return std::nullopt;
  figure.caption = "Means over the steps of a run, as seconds passed there.";
  figure.paper = "Deep-Edge, Fig. 3: the TX2 took 1.89 s for a step on average, the Nano 2.69 s.";
  return figure;
}

}  // namespace

std::optional<NodesSection> MakeNodes(const CampaignSamples& samples,
                                      std::vector<EstimatorRow> estimators) {
  NodesSection section;
  section.estimators = std::move(estimators);
  core::Table nodes = samples.nodes;
  AddNodeTypes(nodes);
  if (auto steps = StepTimes(nodes)) section.figures.push_back(*std::move(steps));
  for (const Sensitivity& what : kSensitivities) {
    if (!Differs(nodes, what.x) || ValuesIn(nodes, what.y).empty()) continue;
    if (NumbersIn(nodes, what.x) == nullptr) continue;
    core::Table table = nodes;
    AddBinned(what.x, table);
    const MeanLines means = MeansOver(table, "binned", what.y, {kNodeType});
    if (means.lines.empty()) continue;
    ReportFigure figure;
    figure.chart.title = fmt::format("{} by {}", what.y, what.x);
    figure.chart.x_label = what.x;
    figure.chart.y_label = what.y;
    figure.chart.lines = means.lines;
    figure.chart.dots = DotsOf(nodes, what, means.lines);
    if (figure.chart.lines.front().name.empty()) {
      figure.chart.lines.front().name = "mean";
      figure.chart.dots.front().name = "measured";
    }
    figure.caption = "Dots are hosts in runs, lines means by type of node.";
    figure.paper = what.paper;
    figure.rows = means.rows;
    section.figures.push_back(std::move(figure));
  }
  if (section.figures.empty() && section.estimators.empty()) return std::nullopt;
  return section;
}

void AddNodes(const NodesSection& section, Page& page) {
  page.Section("nodes", "Hosts under load");
  page.Paragraph(
      "What was used of hosts before the training and during it, and what that did to computing, "
      "exchanging gradients and applications beside the training. Shares are of what the host "
      "has.");
  AddFigures(section.figures, page);
  if (!section.estimators.empty()) {
    PageTable table{"Errors of estimators",
                    {{"node type", false},
                     {"function", false},
                     {"rows, training/test"},
                     {"MAPE"},
                     {"deviation"},
                     {"noise between repeats"}},
                    {}};
    for (const EstimatorRow& one : section.estimators) {
      table.rows.push_back(
          {{one.node_type, one.function, fmt::format("{}/{}", one.train_rows, one.test_rows),
            fmt::format("{:.2f} %", one.mape_percent),
            fmt::format("{:.2f} %", one.deviation_percent), PercentOrDash(one.noise_percent)}});
    }
    for (const EdgeEstimator& paper : kDeepEdgeTable1) {
      table.rows.push_back(
          {{fmt::format("Deep-Edge: {}", paper.device), std::string(paper.function),
            std::string(paper.rows), fmt::format("{:.2f} %", paper.percent),
            fmt::format("{:.2f} %", paper.deviation), ""},
           true});
    }
    page.Table(table);
  }
  page.Note(fmt::format("Figures 3 to 5 and 9{} of {}.",
                        section.estimators.empty() ? "" : " and Table I (in italics)",
                        kDeepEdgePaper));
}

base::Json ToJson(const NodesSection& section) {
  base::Json estimators = base::Json::array();
  for (const EstimatorRow& one : section.estimators) {
    estimators.push_back({{"node_type", one.node_type},
                          {"function", one.function},
                          {"training_rows", one.train_rows},
                          {"test_rows", one.test_rows},
                          {"mape_percent", one.mape_percent},
                          {"deviation_percent", one.deviation_percent},
                          {"noise_percent", NumberOrNull(one.noise_percent)}});
  }
  return {{"figures", ToJson(section.figures)}, {"estimators", std::move(estimators)}};
}

}  // namespace reckon::app
