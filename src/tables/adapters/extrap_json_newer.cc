#include <optional>
#include <utility>

#include <fmt/format.h>

#include "tables/adapters/extrap_json_forms.h"

namespace reckon::tables {
namespace {

base::Status AddMeasurement(const JsonNode& node, const std::string& region,
                            const std::string& metric, ExtraPRows& rows) {
  RECKON_ASSIGN(const JsonNode point_node, node.At("point"));
  RECKON_ASSIGN(const std::vector<double> point, point_node.Numbers());
  if (point.size() != rows.parameters().size()) {
    return point_node.Bad(
        fmt::format("{} coordinates, expected {}", point.size(), rows.parameters().size()));
  }
  RECKON_ASSIGN(const JsonNode values_node, node.At("values"));
  RECKON_ASSIGN(const std::vector<double> values, values_node.Numbers());
  rows.Add(point, region, metric, values, std::nullopt);
  return {};
}

}  // namespace

base::Status ReadNewerJson(const JsonNode& document, ExtraPRows& rows, StopPoll& poll) {
  RECKON_ASSIGN(const JsonNode names, document.At("parameters"));
  RECKON_ASSIGN(const auto name_nodes, names.Elements());
  std::vector<std::string> parameters;
  for (const JsonNode& node : name_nodes) RECKON_TRY(AppendParameter(node, parameters));
  if (parameters.empty()) return names.Bad("the list is empty");
  rows.SetParameters(std::move(parameters));
  RECKON_ASSIGN(const JsonNode measurements, document.At("measurements"));
  RECKON_ASSIGN(const auto regions, measurements.Members());
  for (const auto& [region, region_node] : regions) {
    RECKON_ASSIGN(const auto metrics, region_node.Members());
    for (const auto& [metric, metric_node] : metrics) {
      RECKON_ASSIGN(const auto points, metric_node.Elements());
      for (const JsonNode& node : points) {
        RECKON_TRY(poll.Check());
        RECKON_TRY(AddMeasurement(node, region, metric, rows));
      }
    }
  }
  return {};
}

}  // namespace reckon::tables
