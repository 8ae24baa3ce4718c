#include "app/report/scaling.h"

#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/report/mean_lines.h"
#include "app/report/papers.h"

namespace reckon::app {
namespace {

struct Across {
  const char* column;
  const char* paper;
};

constexpr std::array<Across, 5> kAcross{{
    {"workers", "Ray paper, Fig. 4, first row: times fall with workers up to 16."},
    {"cpus_per_worker", ""},
    {"cpus", ""},
    {"images", "Ray paper, Fig. 4, third row: times grow with the images in every case."},
    {"batch",
     "Ray paper, Fig. 4, last row: the batch hardly changes epochs and training loop, but the "
     "whole run."},
}};

constexpr std::array<const char*, 5> kTimes{"train_s", "fit_s", "training_loop_s", "train_epoch_s",
                                            "validate_epoch_s"};

std::vector<std::string> TimesIn(const CampaignSamples& samples) {
  std::vector<std::string> times;
  for (const char* time : kTimes) {
    if (!ValuesIn(samples.runs, time).empty()) times.emplace_back(time);
  }
  if (times.empty()) times.push_back(samples.target);
  return times;
}

}  // namespace

std::optional<ScalingSection> MakeScaling(const CampaignSamples& samples) {
  ScalingSection section;
  std::vector<Across> across(kAcross.begin(), kAcross.end());
  std::erase_if(across, [&](const Across& one) { return !Differs(samples.runs, one.column); });
  // Workers of one processor each are these processors.
  if (!Differs(samples.runs, "cpus_per_worker")) {
    std::erase_if(across, [](const Across& one) { return one.column == std::string("cpus"); });
  }
  const std::vector<std::string> inputs = IndependentInputs(samples.runs);
  if (across.empty()) {
    for (const std::string& input : inputs) {
      if (ValuesIn(samples.runs, input).size() > 1) across.push_back({input.c_str(), ""});
    }
  }
  for (const Across& one : across) {
    for (const std::string& time : TimesIn(samples)) {
      const MeanLines means =
          MeansOver(samples.runs, one.column, time, {"network", "pool", "strategy"});
      if (means.lines.empty()) continue;
      ReportFigure figure;
      figure.chart.title = fmt::format("{} over {}", time, one.column);
      figure.chart.x_label = one.column;
      figure.chart.y_label = time;
      figure.chart.lines = means.lines;
      if (means.lines.size() == 1 && means.lines.front().name.empty()) {
        figure.chart.lines.front().name = "mean";
      }
      ChooseAxes(figure.chart);
      figure.caption = "Mean of all runs.";
      figure.paper = one.paper;
      figure.rows = means.rows;
      NoteLeftOut(figure.chart.title, means, section.notes);
      section.figures.push_back(std::move(figure));
    }
  }
  if (section.figures.empty()) return std::nullopt;
  return section;
}

void AddScaling(const ScalingSection& section, Page& page) {
  page.Section("scaling", "Times by workers, images and batch");
  page.Paragraph(
      "Means over all undisturbed runs with that value, whatever else was varied: where a design "
      "did not measure every combination, lines also show what else differed.");
  AddFigures(section.figures, page);
  page.List(section.notes);
  page.Note(fmt::format("Figures 3 and 4 of {}.", kRayPaper));
}

base::Json ToJson(const ScalingSection& section) {
  return {{"figures", ToJson(section.figures)}, {"notes", section.notes}};
}

}  // namespace reckon::app
