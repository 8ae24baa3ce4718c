#include "tables/adapters/extrap_json.h"

#include <optional>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/text.h"
#include "tables/adapters/extrap_json_forms.h"
#include "tables/adapters/lines.h"

namespace reckon::tables {
namespace {

// The first line with something on it.
struct FirstLine {
  std::string_view text;
  size_t number = 0;
};

FirstLine FindFirstLine(std::string_view text) {
  Lines lines(text);
  while (lines.Next()) {
    if (!base::Trim(lines.line()).empty()) return {lines.line(), lines.number()};
  }
  return {};
}

base::Status ReadDocument(const JsonNode& document, ExtraPRows& rows, StopPoll& poll) {
  RECKON_ASSIGN(const JsonNode measurements, document.At("measurements"));
  return measurements.IsArray() ? ReadOlderJson(document, rows, poll)
                                : ReadNewerJson(document, rows, poll);
}

}  // namespace

base::Status AppendParameter(const JsonNode& node, std::vector<std::string>& parameters) {
  RECKON_ASSIGN(std::string name, node.String());
  const base::Status checked = CheckParameter(parameters, name);
  if (!checked.ok()) return node.Bad(checked.error().message());
  parameters.push_back(std::move(name));
  return {};
}

base::Result<core::Table> ReadExtraPJson(std::string_view text, const std::string& name,
                                         const std::stop_token& stop) {
  ExtraPRows rows;
  StopPoll poll(stop);
  const FirstLine first = FindFirstLine(text);
  const auto document = base::ParseJson(text, name);
  if (!document.ok()) {
    const bool is_lines = base::ParseJson(first.text, name).ok();
    if (!is_lines) return base::BadInput(document.error().Describe());
    RECKON_TRY(ReadJsonLines(text, name, rows, poll));
  } else if (document->is_object() && document->contains("params")) {
    // JSON Lines with one line only.
    const JsonNode line(*document, fmt::format("{}, line {}", name, first.number));
    RECKON_TRY(ReadJsonLine(line, first.number, rows));
  } else {
    RECKON_TRY(ReadDocument(JsonNode(*document, name), rows, poll));
  }
  return std::move(rows).Finish(name);
}

}  // namespace reckon::tables
