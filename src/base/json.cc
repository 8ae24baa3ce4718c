#include "base/json.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace reckon::base {
namespace {

constexpr int kMaxDepth = 256;

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
  bool too_deep = false;
  const auto watch_depth = [&](int depth, Json::parse_event_t event, Json&) {
    // The outermost object or array starts at depth 0.
    const bool starts =
        event == Json::parse_event_t::object_start || event == Json::parse_event_t::array_start;
    too_deep = too_deep || (starts && depth >= kMaxDepth);
    return !too_deep;
  };
  try {
    Json value = Json::parse(text.begin(), text.end(), watch_depth);
    if (too_deep) {
      return Error(ErrorCode::kCorrupt,
                   fmt::format("{}: nested deeper than {} levels", source, kMaxDepth));
    }
    return value;
  } catch (const Json::parse_error& error) {
    return Error(ErrorCode::kCorrupt,
                 fmt::format("{}, {}: not valid JSON", source, Place(text, error.byte)));
  } catch (const Json::exception&) {  // a number beyond the range of double
    return Error(ErrorCode::kCorrupt, fmt::format("{}: not valid JSON", source));
  }
}

std::string DumpJson(const Json& value) {
  return value.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string DumpJsonLine(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace reckon::base
