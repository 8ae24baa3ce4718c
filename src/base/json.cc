#include "base/json.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json_shape.h"

namespace reckon::base {
namespace {

constexpr size_t kMaxDepth = 256;

std::string Place(std::string_view text, size_t byte) {
  const std::string_view before = text.substr(0, std::min(byte > 0 ? byte - 1 : 0, text.size()));
  const auto line = std::count(before.begin(), before.end(), '\n') + 1;
  const size_t line_start = before.rfind('\n');
  const size_t column =
      line_start == std::string_view::npos ? before.size() + 1 : before.size() - line_start;
  return fmt::format("line {}, column {}", line, column);
}

}  // namespace

Result<Json> ParseJson(std::string_view text, std::string_view source) {
  // Counted before parsing: the parser's own callback rescans an object's parent each time it ends,
  // which is quadratic in long lists of objects.
  if (ShapeOfJson(text, kMaxDepth).depth > kMaxDepth) {
    return Error(ErrorCode::kCorrupt,
                 fmt::format("{}: nested deeper than {} levels", source, kMaxDepth));
  }
  try {
    return Json::parse(text.begin(), text.end());
  } catch (const Json::parse_error& error) {
    return Error(ErrorCode::kCorrupt,
                 fmt::format("{}, {}: not valid JSON", source, Place(text, error.byte)));
  } catch (const Json::exception&) {  // a number beyond the range of double
    return Error(ErrorCode::kCorrupt, fmt::format("{}: not valid JSON", source));
  }
}

namespace {

bool IsPlainList(const Json& value) {
  return value.is_array() && std::none_of(value.begin(), value.end(),
                                          [](const Json& item) { return item.is_structured(); });
}

void AppendIndented(const Json& value, size_t depth, std::string& out) {
  if (!value.is_structured() || value.empty() || IsPlainList(value)) {
    out += DumpJsonLine(value);
    return;
  }
  const bool object = value.is_object();
  out += object ? '{' : '[';
  bool first = true;
  for (const auto& [key, item] : value.items()) {
    out += first ? "\n" : ",\n";
    first = false;
    out.append(2 * depth + 2, ' ');
    if (object) out += DumpJsonLine(Json(key)) + ": ";
    AppendIndented(item, depth + 1, out);
  }
  out += '\n';
  out.append(2 * depth, ' ');
  out += object ? '}' : ']';
}

}  // namespace

std::optional<uint64_t> WholeAt(const Json& object, const char* key) {
  if (!object.is_object() || !object.contains(key)) return {};
  const Json& value = object[key];
  // What was parsed is unsigned, what was put there by a program may not be.
  if (!value.is_number_integer() || (!value.is_number_unsigned() && value.get<int64_t>() < 0)) {
    return {};
  }
  return value.get<uint64_t>();
}

std::string DumpJson(const Json& value) {
  std::string text;
  AppendIndented(value, 0, text);
  return text + "\n";
}

std::string DumpJsonLine(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace reckon::base
