#include "app/report/workers.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/report/mean_lines.h"
#include "app/report/papers.h"
#include "base/text.h"

namespace reckon::app {
namespace {

constexpr size_t kMostSettings = 6;

// Rows of one network and batch, as the paper draws them.
struct WorkerSetting {
  std::string name;
  std::vector<size_t> rows;
};

std::vector<WorkerSetting> SettingsOf(const core::Table& runs) {
  std::vector<WorkerSetting> settings;
  for (size_t row = 0; row < runs.row_count; ++row) {
    std::vector<std::string> parts;
    for (const char* name : {"network", "batch"}) {
      if (!Differs(runs, name)) continue;
      const std::string text = runs.columns[*runs.Find(name)].Text(row);
      parts.push_back(std::string(name) + " " + (text.empty() ? "-" : text));
    }
    const std::string name = base::Join(parts, ", ");
    auto found = std::find_if(settings.begin(), settings.end(),
                              [&](const WorkerSetting& one) { return one.name == name; });
    if (found == settings.end()) found = settings.insert(found, {name, {}});
    found->rows.push_back(row);
  }
  std::stable_sort(
      settings.begin(), settings.end(),
      [](const WorkerSetting& a, const WorkerSetting& b) { return a.rows.size() > b.rows.size(); });
  return settings;
}

// What a run's training cost: the price of its pool for each worker's host, in undilated time.
void AddCostColumn(const base::Json& document, const std::string& time, core::Table& runs) {
  struct Offer {
    double price;
    double hosts;
  };
  std::map<std::string, Offer> prices;
  for (const base::Json& pool : document.value("pools", base::Json::array())) {
    const double price = pool.value("price_per_hour", 0.0);
    const double hosts = pool.value("hosts", std::numeric_limits<double>::infinity());
    if (price > 0) prices[pool.value("name", "")] = {price, hosts};
  }
  const auto pool = runs.Find("pool");
  const core::Column* seconds = NumbersIn(runs, time);
  const core::Column* workers = NumbersIn(runs, "workers");
  if (prices.empty() || !pool || seconds == nullptr || workers == nullptr) return;
  const core::Column* dilation = NumbersIn(runs, "dilation");
  std::vector<double> costs;
  for (size_t row = 0; row < runs.row_count; ++row) {
    const auto price = prices.find(runs.columns[*pool].Text(row));
    const double slower = dilation == nullptr ? 1 : (*dilation)[row];
    costs.push_back(price == prices.end()
                        ? std::nan("")
                        : (*seconds)[row] / slower / 3600 *
                              std::min((*workers)[row], price->second.hosts) * price->second.price);
  }
  runs.columns.push_back(core::Column::Numbers("cost", core::NumberVector::Of(costs)));
}

}  // namespace

std::optional<WorkersSection> MakeWorkers(const CampaignSamples& samples) {
  if (!Differs(samples.runs, "workers")) return std::nullopt;
  WorkersSection section;
  core::Table runs = samples.runs;
  const std::string time =
      ValuesIn(runs, "training_loop_s").empty() ? samples.target : "training_loop_s";
  AddCostColumn(samples.document, time, runs);
  size_t shown = 0;
  for (const WorkerSetting& setting : SettingsOf(runs)) {
    const core::Table table = runs.Select(setting.rows);
    if (!Differs(table, "workers")) continue;
    if (++shown > kMostSettings) {
      section.notes.push_back(setting.name + ": not drawn, fewer runs than those above");
      continue;
    }
    std::vector<std::string> by = IndependentInputs(table, {"pool"});
    std::erase(by, "workers");
    for (const std::string& what : {time, std::string("cost")}) {
      const MeanLines means = MeansOver(table, "workers", what, by);
      if (means.lines.empty()) continue;
      ReportFigure figure;
      figure.chart.title = what == time ? "Training time by workers" : "Cost by workers";
      figure.chart.subtitle = setting.name;
      figure.chart.x_label = "workers";
      figure.chart.y_label = what;
      figure.chart.lines = means.lines;
      ChooseAxes(figure.chart);
      figure.caption =
          what == time ? "Means of repeats." : "Price of the workers' hosts for the training time.";
      figure.rows = means.rows;
      NoteLeftOut(setting.name, means, section.notes);
      section.figures.push_back(std::move(figure));
    }
  }
  if (section.figures.empty()) return std::nullopt;
  return section;
}

void AddWorkers(const WorkersSection& section, Page& page) {
  page.Section("workers", "Training time by workers and pool");
  page.Paragraph(
      "A chart for every network and batch, a line for every combination of what else was varied: "
      "along a line the number of workers alone changes.");
  AddFigures(section.figures, page);
  page.List(section.notes);
  page.Note(fmt::format(
      "As Figures 8, 9, 11, 15, 16, 19 and 20 of {}. There, larger clusters did not always train "
      "faster: beyond some number of workers the parameter server's network was the limit.",
      kFc2Paper));
}

base::Json ToJson(const WorkersSection& section) {
  return {{"figures", ToJson(section.figures)}, {"notes", section.notes}};
}

}  // namespace reckon::app
