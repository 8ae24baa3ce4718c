#include "tables/adapters/extrap_points.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "tables/cell.h"

namespace reckon::tables {
namespace {

constexpr size_t kMaxDepth = 4;
constexpr std::string_view kBlanks = " \t\r\f\v";

// A number, or a pair of brackets with its content.
struct Group {
  bool is_number = false;
  double number = 0;
  std::vector<Group> members;
};

base::Result<std::vector<Group>> ParseGroups(std::string_view text) {
  // The open brackets, outermost first; the first stands for the whole text.
  std::vector<std::vector<Group>> open(1);
  while (!text.empty()) {
    const char c = text.front();
    if (kBlanks.find(c) != std::string_view::npos) {
      text.remove_prefix(1);
    } else if (c == '(') {
      if (open.size() > kMaxDepth) return base::BadInput("brackets are nested too deep");
      open.emplace_back();
      text.remove_prefix(1);
    } else if (c == ')') {
      if (open.size() == 1) return base::BadInput("a bracket closes that was never opened");
      Group group;
      group.members = std::move(open.back());
      open.pop_back();
      open.back().push_back(std::move(group));
      text.remove_prefix(1);
    } else {
      const std::string_view word = text.substr(0, text.find_first_of("() \t\r\f\v"));
      const auto number = base::ParseNumber(word);
      if (!number) return base::BadInput(fmt::format("'{}' is not a number", ShownCell(word)));
      Group group;
      group.is_number = true;
      group.number = *number;
      open.back().push_back(std::move(group));
      text.remove_prefix(word.size());
    }
  }
  if (open.size() > 1) return base::BadInput("a bracket is never closed");
  return std::move(open.front());
}

bool IsCoordinate(const Group& group) {
  return group.is_number || (group.members.size() == 1 && group.members.front().is_number);
}

// Appends the points inside one pair of brackets: it is a point itself, or it holds points.
base::Status AppendPoints(const Group& group, size_t parameter_count, std::vector<Point>& points) {
  const auto& members = group.members;
  const bool all_coordinates = std::all_of(members.begin(), members.end(), IsCoordinate);
  if (all_coordinates && members.size() == parameter_count) {
    Point point;
    for (const Group& member : members) {
      point.push_back(member.is_number ? member.number : member.members.front().number);
    }
    points.push_back(std::move(point));
    return {};
  }
  const bool any_number = std::any_of(members.begin(), members.end(),
                                      [](const Group& member) { return member.is_number; });
  if (any_number || members.empty()) {
    return base::BadInput(fmt::format("a point has {} coordinate{}, expected {}", members.size(),
                                      members.size() == 1 ? "" : "s", parameter_count));
  }
  for (const Group& member : members) RECKON_TRY(AppendPoints(member, parameter_count, points));
  return {};
}

}  // namespace

base::Result<std::vector<Point>> ParsePoints(std::string_view text, size_t parameter_count) {
  RECKON_ASSIGN(std::vector<Group> groups, ParseGroups(text));
  if (groups.empty()) return base::BadInput("POINTS without points");
  std::vector<Point> points;
  for (Group& group : groups) {
    if (group.is_number) {
      Group bracket;
      bracket.members.push_back(std::move(group));
      group = std::move(bracket);
    }
    RECKON_TRY(AppendPoints(group, parameter_count, points));
  }
  return points;
}

}  // namespace reckon::tables
