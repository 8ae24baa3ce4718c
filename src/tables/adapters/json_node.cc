#include "tables/adapters/json_node.h"

#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tables/cell.h"

namespace reckon::tables {

JsonNode::JsonNode(const base::Json& value, std::string document)
    : JsonNode(value, std::move(document), "") {}

JsonNode::JsonNode(const base::Json& value, std::string document, std::string path)
    : value_(&value), document_(std::move(document)), path_(std::move(path)) {}

bool JsonNode::IsArray() const { return value_->is_array(); }

bool JsonNode::Has(std::string_view key) const {
  return value_->is_object() && value_->contains(std::string(key));
}

base::Result<JsonNode> JsonNode::At(std::string_view key) const {
  if (!value_->is_object()) return Expected("an object");
  const auto member = value_->find(std::string(key));
  if (member == value_->end()) return Bad(fmt::format("'{}' is missing", key));
  return JsonNode(*member, document_, fmt::format("{}/{}", path_, key));
}

base::Result<std::vector<std::pair<std::string, JsonNode>>> JsonNode::Members() const {
  if (!value_->is_object()) return Expected("an object");
  std::vector<std::pair<std::string, JsonNode>> members;
  for (const auto& [key, member] : value_->items()) {
    if (key.find('\0') != std::string::npos) return Bad("a name with a NUL character");
    members.emplace_back(key,
                         JsonNode(member, document_, fmt::format("{}/{}", path_, ShownCell(key))));
  }
  return members;
}

base::Result<std::vector<JsonNode>> JsonNode::Elements() const {
  if (!value_->is_array()) return Expected("a list");
  std::vector<JsonNode> elements;
  elements.reserve(value_->size());
  for (const base::Json& element : *value_) {
    elements.push_back(JsonNode(element, document_, fmt::format("{}/{}", path_, elements.size())));
  }
  return elements;
}

base::Result<std::string> JsonNode::String() const {
  const auto* text = value_->get_ptr<const std::string*>();
  if (text == nullptr) return Expected("a text");
  // No other format can carry it.
  if (text->find('\0') != std::string::npos) return Bad("a text with a NUL character");
  return *text;
}

base::Result<int64_t> JsonNode::Integer() const {
  if (!value_->is_number_integer()) return Expected("a whole number");
  return value_->get<int64_t>();
}

base::Result<double> JsonNode::Number() const {
  if (!value_->is_number()) return Expected("a number");
  return value_->get<double>();
}

base::Result<std::vector<double>> JsonNode::Numbers() const {
  if (!value_->is_array()) return Expected("a list of numbers");
  if (value_->empty()) return Bad("the list is empty");
  std::vector<double> numbers;
  numbers.reserve(value_->size());
  for (const base::Json& element : *value_) {
    if (!element.is_number()) {
      return JsonNode(element, document_, fmt::format("{}/{}", path_, numbers.size()))
          .Expected("a number");
    }
    numbers.push_back(element.get<double>());
  }
  return numbers;
}

base::Result<std::vector<double>> JsonNode::NumberOrNumbers() const {
  if (!value_->is_number()) return Numbers();
  return std::vector<double>{value_->get<double>()};
}

base::Error JsonNode::Expected(std::string_view what) const {
  return Bad(fmt::format("expected {}, found {}", what, value_->type_name()));
}

base::Error JsonNode::Bad(std::string_view fault) const {
  if (path_.empty()) return base::BadInput(fmt::format("{}: {}", document_, fault));
  return base::BadInput(fmt::format("{}: {}: {}", document_, path_, fault));
}

}  // namespace reckon::tables
