#include "learn/features/term_selection.h"

#include <fmt/format.h>

#include "base/text.h"

namespace reckon::learn {

using Way = TermSelection::Way;

const char* SelectionWayName(Way way) {
  switch (way) {
    case Way::kNone:
      return "none";
    case Way::kForward:
      return "forward";
    case Way::kImportance:
      return "importance";
  }
  return "";
}

base::Result<TermSelection> ParseTermSelection(const std::string& text) {
  const size_t equals = text.find('=');
  const std::string name = text.substr(0, equals);
  TermSelection selection;
  bool known = false;
  for (const Way way : {Way::kNone, Way::kForward, Way::kImportance}) {
    if (name != SelectionWayName(way)) continue;
    selection.way = way;
    known = true;
  }
  if (!known || (equals != std::string::npos && selection.way != Way::kImportance)) {
    return base::BadInput(fmt::format(
        "unknown selection '{}'; expected none, forward, importance or importance=SHARE", text));
  }
  if (equals != std::string::npos) {
    const std::optional<double> share = base::ParseNumber(text.substr(equals + 1));
    if (!share || !(*share > 0) || *share > 1) {
      return base::BadInput(fmt::format(
          "'{}': expected a share of the gain above 0 and up to 1, like importance=0.9", text));
    }
    selection.gain_share = *share;
  }
  return selection;
}

}  // namespace reckon::learn
