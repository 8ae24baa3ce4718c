// How the law's section looks, on the page and as JSON.
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/report/generic_paper.h"
#include "app/report/law.h"
#include "app/report/papers.h"
#include "base/text.h"
#include "base/units.h"

namespace reckon::app {
namespace {

PageTable ParameterTable(const LawSection& section, const LawGroup& group) {
  PageTable table{fmt::format("Parameters, with 90 % intervals over {} of the rows",
                              base::Count(section.resamples, "resample")),
                  {{"parameter", false}, {"value"}, {"from"}, {"to"}, {"", false}},
                  {}};
  for (const ExplainedInterval& one : group.parameters) {
    table.rows.push_back({{one.name, base::FormatNumber(one.value), base::FormatNumber(one.lower),
                           base::FormatNumber(one.upper), one.settled ? "" : "may as well be 0"}});
  }
  return table;
}

PageTable PowerTable(const LawSection& section) {
  PageTable table{"Scaling powers: -1 divides the time, 0 leaves it alone",
                  {{"of", false}, {"column", false}, {"power"}},
                  {}};
  for (const LawGroup& group : section.groups) {
    for (const LawPower& power : group.powers) {
      table.rows.push_back({{group.name.empty() ? "this campaign" : group.name, power.column,
                             fmt::format("{:.2f}", power.power)}});
    }
  }
  for (const ScalingPower& paper : kGenericTable7) {
    table.rows.push_back(
        {{fmt::format("paper: {}", paper.framework), "GPUs", fmt::format("{:.2f}", paper.power)},
         true});
  }
  return table;
}

PageTable LawErrorTable(const LawGroup& group) {
  PageTable table{fmt::format("MAPE on {} held out of {}", base::Count(group.held_out, "row"),
                              base::Count(group.rows, "row")),
                  {{"model", false}, {"MAPE"}, {"MSE"}, {"RMSE"}},
                  {}};
  for (const LawError& error : group.errors) {
    const auto number = [&](double power) {
      return error.rmse ? base::FormatNumber(std::pow(*error.rmse, power)) : "-";
    };
    table.rows.push_back({{error.model, PercentOrDash(error.mape_percent), number(2), number(1)}});
  }
  return table;
}

std::string MeanAndDeviation(double mean, double deviation) {
  return fmt::format("{} +- {}", base::FormatNumber(mean), base::FormatNumber(deviation));
}

PageTable FitsTable(const LawGroup& group) {
  PageTable table{fmt::format("Parameters over {} fits from other beginnings", kLawFits),
                  {{"parameter", false}, {"law"}, {fmt::format("with penalty {}", kLawPenalty)}},
                  {}};
  for (const LawFit& fit : group.fits) {
    table.rows.push_back({{fit.parameter, MeanAndDeviation(fit.mean, fit.deviation),
                           MeanAndDeviation(fit.l2_mean, fit.l2_deviation)}});
  }
  return table;
}

template <size_t N>
PageTable PublishedParameters(const std::string& title,
                              const std::array<PublishedParameter, N>& published) {
  PageTable table{title,
                  {{"parameter", false},
                   {"MXNet: a or q"},
                   {"p"},
                   {"PyTorch: a or q"},
                   {"p"},
                   {"TensorFlow: a or q"},
                   {"p"}},
                  {}};
  for (const PublishedParameter& one : published) {
    PageTable::Row row{{}, true};
    for (const std::string_view cell : {one.name, one.mxnet_a, one.mxnet_p, one.pytorch_a,
                                        one.pytorch_p, one.tensorflow_a, one.tensorflow_p}) {
      row.cells.emplace_back(cell);
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

// What the paper's accuracy is of is not said there; here it is 100 % less the law's error.
PageTable AccuracyTable(const LawSection& section) {
  PageTable table{"Accuracy of the law by kind of images: 100 % less its MAPE",
                  {{"of", false}, {"images", false}, {"rows"}, {"accuracy"}},
                  {}};
  for (const LawGroup& group : section.groups) {
    for (const LawLevelError& one : group.by_image) {
      table.rows.push_back(
          {{group.name.empty() ? "this campaign" : group.name, one.level, std::to_string(one.rows),
            fmt::format("{:.2f} %", 100 - one.mape_percent)}});
    }
  }
  if (table.rows.empty()) return table;
  for (const ModelAccuracy& paper : kGenericTable8) {
    table.rows.push_back({{fmt::format("paper: {}", paper.framework), "CIFAR-10", "",
                           fmt::format("{:.2f} %", paper.percent)},
                          true});
  }
  return table;
}

PageTable PublishedPenalties() {
  PageTable table{"The paper's Table 5: errors with penalties",
                  {{"penalty", false}, {"framework", false}, {"MAPE"}, {"MSE"}, {"RMSE"}},
                  {}};
  for (const PenaltyErrors& paper : kGenericTable5) {
    table.rows.push_back({{std::string(paper.penalty), std::string(paper.framework),
                           fmt::format("{} %", paper.mape_percent), fmt::format("{}", paper.mse),
                           fmt::format("{}", paper.rmse)},
                          true});
  }
  return table;
}

PageTable PublishedErrors() {
  PageTable table{"The paper's Table 6: MAPE on 300 rows held out",
                  {{"model", false}, {"TensorFlow"}, {"MXNet"}, {"PyTorch"}},
                  {}};
  for (const LawErrors& paper : kGenericTable6) {
    table.rows.push_back({{std::string(paper.model), fmt::format("{} %", paper.tensorflow),
                           fmt::format("{} %", paper.mxnet), fmt::format("{} %", paper.pytorch)},
                          true});
  }
  return table;
}

base::Json GroupJson(const LawGroup& group) {
  base::Json json{{"rows", group.rows},
                  {"held_out", group.held_out},
                  {"inputs", group.inputs},
                  {"formula", group.formula},
                  {"scaling", group.scaling}};
  if (!group.name.empty()) json["framework"] = group.name;
  base::Json parameters = base::Json::array();
  for (const ExplainedInterval& one : group.parameters) {
    parameters.push_back({{"name", one.name},
                          {"value", one.value},
                          {"lower", one.lower},
                          {"upper", one.upper},
                          {"settled", one.settled}});
  }
  json["parameters"] = std::move(parameters);
  base::Json powers = base::Json::array();
  for (const LawPower& one : group.powers) {
    powers.push_back({{"column", one.column}, {"power", one.power}});
  }
  json["powers"] = std::move(powers);
  base::Json errors = base::Json::array();
  for (const LawError& one : group.errors) {
    errors.push_back({{"model", one.model},
                      {"mape_percent", NumberOrNull(one.mape_percent)},
                      {"rmse", NumberOrNull(one.rmse)}});
  }
  json["errors"] = std::move(errors);
  base::Json fits = base::Json::array();
  for (const LawFit& one : group.fits) {
    fits.push_back({{"parameter", one.parameter},
                    {"mean", one.mean},
                    {"deviation", one.deviation},
                    {"l2_mean", one.l2_mean},
                    {"l2_deviation", one.l2_deviation}});
  }
  json["fits"] = std::move(fits);
  base::Json by_image = base::Json::array();
  for (const LawLevelError& one : group.by_image) {
    by_image.push_back(
        {{"images", one.level}, {"rows", one.rows}, {"mape_percent", one.mape_percent}});
  }
  json["by_image"] = std::move(by_image);
  base::Json path = base::Json::array();
  for (const PenaltyStep& step : group.path) {
    path.push_back({{"penalty", step.penalty},
                    {"lambda", step.lambda},
                    {"mape_percent", NumberOrNull(step.mape_percent)},
                    {"r2", NumberOrNull(step.r2)}});
  }
  json["path"] = std::move(path);
  json["figures"] = ToJson(group.figures);
  return json;
}

}  // namespace

void AddLaw(const LawSection& section, Page& page) {
  page.Section("law", "The generic law");
  page.Paragraph(fmt::format(
      "{} as (sum of a x^p over what is computed + a constant for each level) * product of "
      "resources^q + C, fitted by differential evolution. Columns that follow from others are left "
      "out, since no measurement could tell them apart.",
      section.target));
  for (const LawGroup& group : section.groups) {
    if (!group.name.empty()) page.Heading(group.name);
    page.Code(group.formula);
    page.List(group.scaling);
    page.Table(ParameterTable(section, group));
    page.Table(FitsTable(group));
    page.Table(LawErrorTable(group));
    AddFigures(group.figures, page);
  }
  page.Heading("Beside the paper");
  page.Table(PowerTable(section));
  if (const PageTable accuracy = AccuracyTable(section); !accuracy.rows.empty()) {
    page.Table(accuracy);
  }
  page.Table(PublishedErrors());
  page.Table(PublishedPenalties());
  page.Table(PublishedParameters("The paper's Table 3: parameters over ten fits", kGenericTable3));
  page.Table(
      PublishedParameters("The paper's Table 4: the same with an L2 penalty", kGenericTable4));
  page.List(section.notes);
  page.Note(fmt::format("Tables 3 to 8 and Figures 3 to 8 of {}. Its numbers are in italics.",
                        kGenericPaper));
}

base::Json ToJson(const LawSection& section) {
  base::Json json{{"target", section.target},
                  {"resamples", section.resamples},
                  {"groups", base::Json::array()}};
  for (const LawGroup& group : section.groups) json["groups"].push_back(GroupJson(group));
  json["notes"] = section.notes;
  return json;
}

}  // namespace reckon::app
