// A value inside a JSON document that knows where it stands, so that every complaint names the
// place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "base/json.h"
#include "base/result.h"

namespace reckon::tables {

// The document must outlive it. Functions return bad input "DOCUMENT: /path/0/to: expected ..."
// when the value is not what was asked for; none throws.
class JsonNode {
 public:
  // `document` names it in messages, with the line for JSON Lines.
  JsonNode(const base::Json& value, std::string document);

  bool IsArray() const;
  bool Has(std::string_view key) const;
  // The member `key` of an object.
  base::Result<JsonNode> At(std::string_view key) const;
  // Members of an object in their order, with their names.
  base::Result<std::vector<std::pair<std::string, JsonNode>>> Members() const;
  base::Result<std::vector<JsonNode>> Elements() const;
  base::Result<std::string> String() const;
  base::Result<int64_t> Integer() const;
  base::Result<double> Number() const;
  // At least one number.
  base::Result<std::vector<double>> Numbers() const;
  // The same, or a single number.
  base::Result<std::vector<double>> NumberOrNumbers() const;

  base::Error Bad(std::string_view fault) const;

 private:
  JsonNode(const base::Json& value, std::string document, std::string path);
  base::Error Expected(std::string_view what) const;

  const base::Json* value_;
  std::string document_;
  std::string path_;  // as a JSON pointer; empty for the document itself
};

}  // namespace reckon::tables
