#include "app/report/stages.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/report/mean_lines.h"
#include "app/report/papers.h"
#include "app/shared_progress.h"
#include "app/validation_methods.h"
#include "base/rng.h"
#include "base/text.h"

namespace reckon::app {
namespace {

using base::Result;

constexpr uint64_t kHoldOutStream = 11;

struct AskedWay {
  std::string way;
  std::string text;  // as the option has it
  bool by_user = false;

  std::string Column() const {
    return std::string(base::Trim(std::string_view(text).substr(0, text.find_first_of("=<>"))));
  }
};

// What can be held out is what has inner and outer values. Processors and images, as in the Ray
// paper; whatever else is varied where a campaign has neither.
std::vector<std::string> ScaledColumns(const core::Table& runs) {
  constexpr size_t kFewest = 3;
  std::vector<std::string> columns;
  for (const char* name : {"cpus", "images"}) {
    if (ValuesIn(runs, name).size() >= kFewest) columns.emplace_back(name);
  }
  if (!columns.empty()) return columns;
  for (const std::string& name : IndependentInputs(runs)) {
    if (ValuesIn(runs, name).size() >= kFewest && columns.size() < 2) columns.push_back(name);
  }
  return columns;
}

std::vector<AskedWay> WaysFor(const ReportValidation& validation, const core::Table& runs) {
  std::vector<AskedWay> ways{{"hold-out", "", true}};
  const std::vector<std::string> scaled = ScaledColumns(runs);
  for (const std::string& text : validation.interpolate) {
    ways.push_back({"interpolation", text, true});
  }
  if (validation.interpolate.empty() && !scaled.empty()) {
    ways.push_back({"interpolation", scaled.front(), false});
  }
  for (const std::string& text : validation.extrapolate) {
    ways.push_back({"extrapolation", text, true});
  }
  for (const std::string& name : scaled) {
    if (validation.extrapolate.empty()) ways.push_back({"extrapolation", name, false});
  }
  return ways;
}

// "3, 6": what of the column was left to the method to choose.
std::string HeldOutValues(const learn::Split& split, const std::string& column,
                          const learn::Dataset& data) {
  const auto index = static_cast<Eigen::Index>(*data.schema.FindInput(column));
  std::set<double> values;
  for (const size_t row : split.test) values.insert(data.x(static_cast<Eigen::Index>(row), index));
  std::vector<std::string> texts;
  for (const double value : values) texts.push_back(base::RoundTrip(value));
  return base::Join(texts, ",");
}

Result<ValidationMethod> MethodFor(const AskedWay& asked, const ReportValidation& validation,
                                   const learn::Dataset& data) {
  ValidateRequest request;
  request.learn.seed = validation.seed;
  if (asked.way == "hold-out") request.holdout = validation.holdout;
  if (asked.way == "interpolation") request.interpolate = {asked.text};
  if (asked.way == "extrapolation") request.extrapolate = {asked.text};
  RECKON_ASSIGN(std::vector<ValidationMethod> methods, ValidationMethods(request, data));
  ValidationMethod method = std::move(methods.front());
  if (asked.way == "interpolation" && asked.text == asked.Column()) {
    method.label += "=" + HeldOutValues(method.splits.front(), asked.text, data);
  }
  return method;
}

struct StageData {
  ReportStage stage;
  Prepared prepared;
  std::vector<size_t> runs;  // of every row
};

// Workers and epochs of one run stay together: they have met the same machine.
Result<ValidationMethod> MethodFor(const AskedWay& asked, const ReportValidation& validation,
                                   const StageData& stage) {
  RECKON_ASSIGN(ValidationMethod method, MethodFor(asked, validation, stage.prepared.data));
  if (asked.way != "hold-out" || stage.runs.empty()) return method;
  RECKON_ASSIGN(method.splits.front(),
                learn::GroupedHoldOutSplit(stage.runs, validation.holdout,
                                           base::Rng(validation.seed).Fork(kHoldOutStream)));
  return method;
}

// The stages of which there are enough rows to learn from.
Result<std::vector<StageData>> PrepareStages(const CampaignSamples& samples, uint64_t seed,
                                             const Context& context, StagesSection& section) {
  std::vector<std::string> columns(kRayStages.begin(), kRayStages.end());
  if (std::find(columns.begin(), columns.end(), samples.target) == columns.end()) {
    columns.push_back(samples.target);
  }
  std::vector<StageData> stages;
  for (const std::string& column : columns) {
    const core::Table& from = column == "train_epoch_s" ? samples.epochs : samples.runs;
    core::Table table = ForLearning(from, column);
    if (table.row_count == 0) continue;
    LearnRequest learn;
    learn.target = column;
    learn.seed = seed;
    ReportStage stage{column, table.row_count, NoiseOf(samples.history, from, column)};
    auto prepared = PrepareTable(learn, std::move(table), context);
    if (!prepared.ok()) {
      section.notes.push_back(fmt::format("{}: {}", column, prepared.error().Describe()));
      continue;
    }
    StageData data{std::move(stage), *std::move(prepared), {}};
    if (&from == &samples.epochs) data.runs = RunsForLearning(from, column);
    stages.push_back(std::move(data));
  }
  return stages;
}

Result<StageCell> Validated(const StageData& stage, const ValidationMethod& method,
                            const Context& context, Gathered& held_out) {
  std::vector<std::string> notes;
  auto blocks = RunSplits(stage.prepared, {method}, context, notes);
  StageCell cell;
  if (!blocks.ok()) {
    if (blocks.error().code() != base::ErrorCode::kBadInput) return blocks.error();
    cell.problem = blocks.error().Describe();
    return cell;
  }
  const ValidationBlock& block = blocks->front();
  cell.mape_percent = block.chosen.validation->mape_percent;
  cell.technique = block.chosen.technique;
  cell.training_rows = block.training_rows;
  cell.validation_rows = block.validation_rows;
  cell.coverage_percent = block.coverage_percent;
  held_out = block.held_out.at(cell.technique);
  return cell;
}

PageTable ErrorTable(const StagesSection& section) {
  PageTable table{"MAPE on the rows held out", {{"held out", false}}, {}};
  for (const ReportStage& stage : section.stages) table.columns.push_back({stage.column});
  for (const StageMethod& method : section.methods) {
    PageTable::Row row{{method.label}};
    for (const StageCell& cell : method.cells) {
      row.cells.push_back(PercentOrDash(cell.mape_percent));
    }
    table.rows.push_back(std::move(row));
    for (const RayErrors& paper : kRayTable3) {
      if (paper.way != method.way || paper.column != method.column) continue;
      PageTable::Row quoted{{fmt::format("Ray paper: {}", paper.technique)}, true};
      for (const ReportStage& stage : section.stages) {
        const auto at = std::find(kRayStages.begin(), kRayStages.end(), stage.column);
        quoted.cells.push_back(
            at == kRayStages.end()
                ? ""
                : PercentOrDash(paper.percent[static_cast<size_t>(at - kRayStages.begin())]));
      }
      table.rows.push_back(std::move(quoted));
    }
  }
  PageTable::Row noise{{"noise between repeats"}};
  for (const ReportStage& stage : section.stages) {
    noise.cells.push_back(PercentOrDash(stage.noise.percent));
  }
  table.rows.push_back(std::move(noise));
  return table;
}

PageTable ModelTable(const StagesSection& section) {
  PageTable table{"Who forecast what",
                  {{"held out", false},
                   {"stage", false},
                   {"model", false},
                   {"learned from"},
                   {"tested on"},
                   {"in their 90 % interval"}},
                  {}};
  for (const StageMethod& method : section.methods) {
    for (size_t i = 0; i < method.cells.size(); ++i) {
      const StageCell& cell = method.cells[i];
      const std::string& stage = section.stages[i].column;
      if (!cell.problem.empty()) {
        table.rows.push_back({{method.label, stage, cell.problem}});
        continue;
      }
      table.rows.push_back(
          {{method.label, stage, cell.technique, std::to_string(cell.training_rows),
            std::to_string(cell.validation_rows), fmt::format("{:.1f} %", cell.coverage_percent)}});
    }
  }
  return table;
}

}  // namespace

plot::Chart PredictedAgainstMeasured(const std::string& title, const std::string& target,
                                     std::vector<plot::Series> dots) {
  plot::Chart chart;
  chart.title = title;
  chart.x_label = "measured " + target;
  chart.y_label = "predicted " + target;
  chart.dots = std::move(dots);
  double low = INFINITY;
  double high = -INFINITY;
  for (const plot::Series& series : chart.dots) {
    for (const plot::Point& point : series.points) {
      low = std::min({low, point.x, point.y});
      high = std::max({high, point.x, point.y});
    }
  }
  ChooseAxes(chart);
  chart.log_x = chart.log_y = chart.log_x || chart.log_y;
  // The last colour, so that dots keep theirs.
  chart.lines.resize(chart.dots.size());
  if (low < high) chart.lines.push_back({"as measured", {{low, low}, {high, high}}});
  return chart;
}

Result<StagesSection> MakeStages(const CampaignSamples& samples, const ReportValidation& validation,
                                 const Context& context) {
  StagesSection section;
  RECKON_ASSIGN(const std::vector<StageData> stages,
                PrepareStages(samples, validation.seed, context, section));
  if (stages.empty()) return section;
  for (const StageData& stage : stages) section.stages.push_back(stage.stage);
  const std::vector<AskedWay> ways = WaysFor(validation, samples.runs);
  SharedProgress shared(context.progress, "validating stages", stages.size() * ways.size());
  std::vector<plot::Series> dots;
  for (const AskedWay& asked : ways) {
    StageMethod method{asked.way, asked.way == "hold-out" ? "" : asked.Column(), "", {}};
    for (size_t i = 0; i < stages.size(); ++i) {
      SharedProgress::Part part(shared);
      const Context inside{context.clock, context.log,  part,
                           context.stop,  context.jobs, context.db};
      auto how = MethodFor(asked, validation, stages[i]);
      if (!how.ok()) {
        if (asked.by_user && i == 0) return std::move(how).error();
        method.cells.push_back({.problem = how.error().Describe()});
        continue;
      }
      if (method.label.empty()) method.label = how->label;
      Gathered held_out;
      RECKON_ASSIGN(StageCell cell, Validated(stages[i], *how, inside, held_out));
      method.cells.push_back(std::move(cell));
      if (stages[i].stage.column != samples.target || held_out.truth.empty()) continue;
      plot::Series series{how->label, {}};
      for (size_t row = 0; row < held_out.truth.size(); ++row) {
        series.points.push_back({held_out.truth[row], held_out.predicted[row]});
      }
      dots.push_back(std::move(series));
    }
    if (!method.label.empty()) section.methods.push_back(std::move(method));
  }
  if (!dots.empty()) {
    section.figures.push_back(
        {PredictedAgainstMeasured("Forecasts of rows held out", samples.target, std::move(dots)),
         "Every dot is a run that the model had not seen.", "", 0});
  }
  return section;
}

void AddStages(const StagesSection& section, Page& page) {
  page.Section("stages", "Errors by stage and validation");
  page.Paragraph(
      "For every stage of a run a model was chosen and made from some of the rows, and its "
      "forecasts of the others held against what was measured. Scales, levels and "
      "hyper-parameters never saw a row held out.");
  page.Table(ErrorTable(section));
  page.Note(
      fmt::format("In italics: Table III of {}, measured on a cluster of its own.", kRayPaper));
  AddFigures(section.figures, page);
  page.Table(ModelTable(section));
  page.List(section.notes);
}

base::Json ToJson(const StagesSection& section) {
  base::Json json{{"stages", base::Json::array()}, {"methods", base::Json::array()}};
  for (const ReportStage& stage : section.stages) {
    json["stages"].push_back(
        {{"stage", stage.column}, {"rows", stage.rows}, {"noise", ToJson(stage.noise)}});
  }
  for (const StageMethod& method : section.methods) {
    base::Json errors = base::Json::array();
    for (size_t i = 0; i < method.cells.size(); ++i) {
      const StageCell& cell = method.cells[i];
      base::Json one{{"stage", section.stages[i].column},
                     {"mape_percent", NumberOrNull(cell.mape_percent)}};
      if (cell.problem.empty()) {
        one["technique"] = cell.technique;
        one["training_rows"] = cell.training_rows;
        one["validation_rows"] = cell.validation_rows;
        one["coverage_percent"] = cell.coverage_percent;
      } else {
        one["problem"] = cell.problem;
      }
      errors.push_back(std::move(one));
    }
    json["methods"].push_back({{"way", method.way},
                               {"column", method.column},
                               {"label", method.label},
                               {"errors", std::move(errors)}});
  }
  json["figures"] = ToJson(section.figures);
  json["notes"] = section.notes;
  return json;
}

}  // namespace reckon::app
