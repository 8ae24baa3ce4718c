#include <cstdint>
#include <optional>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "tables/adapters/extrap_json_forms.h"

namespace reckon::tables {
namespace {

template <typename T>
using ById = std::unordered_map<int64_t, T>;

template <typename T>
base::Status Insert(ById<T>& map, const JsonNode& node, T value) {
  RECKON_ASSIGN(const JsonNode id_node, node.At("id"));
  RECKON_ASSIGN(const int64_t id, id_node.Integer());
  if (!map.emplace(id, std::move(value)).second) {
    return id_node.Bad(fmt::format("{} is there twice", id));
  }
  return {};
}

template <typename T>
base::Result<const T*> Refer(const ById<T>& map, const JsonNode& node, std::string_view key,
                             std::string_view what) {
  RECKON_ASSIGN(const JsonNode reference, node.At(key));
  RECKON_ASSIGN(const int64_t id, reference.Integer());
  const auto found = map.find(id);
  if (found == map.end()) return reference.Bad(fmt::format("no {} has the id {}", what, id));
  return &found->second;
}

base::Result<ById<std::string>> NamesById(const JsonNode& document, std::string_view key) {
  RECKON_ASSIGN(const JsonNode list, document.At(key));
  RECKON_ASSIGN(const auto nodes, list.Elements());
  ById<std::string> names;
  for (const JsonNode& node : nodes) {
    RECKON_ASSIGN(const JsonNode name_node, node.At("name"));
    RECKON_ASSIGN(std::string name, name_node.String());
    RECKON_TRY(Insert(names, node, std::move(name)));
  }
  return names;
}

base::Result<std::vector<double>> CoordinateOf(const JsonNode& node, const ById<size_t>& columns) {
  RECKON_ASSIGN(const JsonNode pairs, node.At("parameter_value_pairs"));
  RECKON_ASSIGN(const auto pair_nodes, pairs.Elements());
  std::vector<std::optional<double>> found(columns.size());
  for (const JsonNode& pair : pair_nodes) {
    RECKON_ASSIGN(const size_t* column, Refer(columns, pair, "parameter_id", "parameter"));
    RECKON_ASSIGN(const JsonNode value, pair.At("parameter_value"));
    if (found[*column]) return pair.Bad("the parameter is there twice");
    RECKON_ASSIGN(found[*column], value.Number());
  }
  std::vector<double> coordinate;
  for (const auto& value : found) {
    if (!value) return pairs.Bad(fmt::format("expected {} parameters", columns.size()));
    coordinate.push_back(*value);
  }
  return coordinate;
}

base::Result<ById<std::vector<double>>> CoordinatesById(const JsonNode& document,
                                                        const ById<size_t>& columns) {
  RECKON_ASSIGN(const JsonNode list, document.At("coordinates"));
  RECKON_ASSIGN(const auto nodes, list.Elements());
  ById<std::vector<double>> coordinates;
  for (const JsonNode& node : nodes) {
    RECKON_ASSIGN(std::vector<double> coordinate, CoordinateOf(node, columns));
    RECKON_TRY(Insert(coordinates, node, std::move(coordinate)));
  }
  return coordinates;
}

base::Result<ById<size_t>> ReadOlderParameters(const JsonNode& list, ExtraPRows& rows) {
  RECKON_ASSIGN(const auto nodes, list.Elements());
  std::vector<std::string> parameters;
  ById<size_t> columns;
  for (const JsonNode& node : nodes) {
    RECKON_ASSIGN(const JsonNode name, node.At("name"));
    RECKON_TRY(Insert(columns, node, parameters.size()));
    RECKON_TRY(AppendParameter(name, parameters));
  }
  if (parameters.empty()) return list.Bad("the list is empty");
  rows.SetParameters(std::move(parameters));
  return columns;
}

}  // namespace

base::Status ReadOlderJson(const JsonNode& document, ExtraPRows& rows, StopPoll& poll) {
  RECKON_ASSIGN(const JsonNode parameters, document.At("parameters"));
  RECKON_ASSIGN(const ById<size_t> columns, ReadOlderParameters(parameters, rows));
  RECKON_ASSIGN(const auto coordinates, CoordinatesById(document, columns));
  RECKON_ASSIGN(const auto regions, NamesById(document, "callpaths"));
  RECKON_ASSIGN(const auto metrics, NamesById(document, "metrics"));
  RECKON_ASSIGN(const JsonNode list, document.At("measurements"));
  RECKON_ASSIGN(const auto nodes, list.Elements());
  for (const JsonNode& node : nodes) {
    RECKON_TRY(poll.Check());
    RECKON_ASSIGN(const auto* point, Refer(coordinates, node, "coordinate_id", "coordinate"));
    RECKON_ASSIGN(const auto* region, Refer(regions, node, "callpath_id", "callpath"));
    RECKON_ASSIGN(const auto* metric, Refer(metrics, node, "metric_id", "metric"));
    RECKON_ASSIGN(const JsonNode value_node, node.At("value"));
    RECKON_ASSIGN(const std::vector<double> values, value_node.NumberOrNumbers());
    rows.Add(*point, *region, *metric, values, std::nullopt);
  }
  return {};
}

}  // namespace reckon::tables
