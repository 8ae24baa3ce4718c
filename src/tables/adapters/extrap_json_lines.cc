#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/text.h"
#include "tables/adapters/extrap_json_forms.h"
#include "tables/adapters/lines.h"

namespace reckon::tables {
namespace {

// Coordinates in the order of the first line's parameters.
base::Result<std::vector<double>> LinePoint(const JsonNode& line, ExtraPRows& rows) {
  RECKON_ASSIGN(const JsonNode params, line.At("params"));
  RECKON_ASSIGN(const auto members, params.Members());
  if (rows.parameters().empty()) {
    std::vector<std::string> parameters;
    for (const auto& [name, node] : members) {
      const base::Status checked = CheckParameter(parameters, name);
      if (!checked.ok()) return params.Bad(checked.error().message());
      parameters.push_back(name);
    }
    if (parameters.empty()) return params.Bad("there are no parameters");
    rows.SetParameters(std::move(parameters));
  }
  if (members.size() != rows.parameters().size()) {
    return params.Bad(fmt::format("{} parameters, expected {} as before", members.size(),
                                  rows.parameters().size()));
  }
  std::vector<double> point;
  for (const std::string& parameter : rows.parameters()) {
    RECKON_ASSIGN(const JsonNode node, params.At(parameter));
    RECKON_ASSIGN(const double number, node.Number());
    point.push_back(number);
  }
  return point;
}

base::Result<std::string> TextOr(const JsonNode& line, std::string_view key,
                                 std::string_view otherwise) {
  if (!line.Has(key)) return std::string(otherwise);
  RECKON_ASSIGN(const JsonNode node, line.At(key));
  return node.String();
}

}  // namespace

base::Status ReadJsonLine(const JsonNode& line, size_t number, ExtraPRows& rows) {
  RECKON_ASSIGN(const std::vector<double> point, LinePoint(line, rows));
  RECKON_ASSIGN(const std::string region, TextOr(line, "callpath", kDefaultRegion));
  RECKON_ASSIGN(const std::string metric, TextOr(line, "metric", kDefaultMetric));
  RECKON_ASSIGN(const JsonNode value, line.At("value"));
  RECKON_ASSIGN(const std::vector<double> values, value.NumberOrNumbers());
  rows.Add(point, region, metric, values, number);
  return {};
}

base::Status ReadJsonLines(std::string_view text, const std::string& name, ExtraPRows& rows,
                           StopPoll& poll) {
  for (Lines lines(text); lines.Next();) {
    RECKON_TRY(poll.Check());
    if (base::Trim(lines.line()).empty()) continue;
    const std::string place = fmt::format("{}, line {}", name, lines.number());
    const auto value = base::ParseJson(lines.line(), place);
    if (!value.ok()) return base::BadInput(fmt::format("{}: not valid JSON", place));
    RECKON_TRY(ReadJsonLine(JsonNode(*value, place), lines.number(), rows));
  }
  return {};
}

}  // namespace reckon::tables
