// How the law's section looks, on the page and as JSON.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

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
                  {{"model", false}, {"MAPE"}},
                  {}};
  for (const LawError& error : group.errors) {
    table.rows.push_back({{error.model, PercentOrDash(error.mape_percent)}});
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
    errors.push_back({{"model", one.model}, {"mape_percent", NumberOrNull(one.mape_percent)}});
  }
  json["errors"] = std::move(errors);
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
    page.Table(LawErrorTable(group));
    AddFigures(group.figures, page);
  }
  page.Heading("Beside the paper");
  page.Table(PowerTable(section));
  page.Table(PublishedErrors());
  page.List(section.notes);
  page.Note(fmt::format("Tables 3 to 7 and Figures 3 to 8 of {}. Its numbers are in italics.",
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
