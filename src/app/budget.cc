#include "app/budget.h"

#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "base/units.h"

namespace reckon::app {

using base::Result;

namespace {

Result<std::optional<double>> PositiveNumber(const std::string& option, std::string_view text) {
  if (text.empty()) return std::optional<double>();
  const auto number = base::ParseNumber(text);
  if (!number || *number <= 0) {
    return base::BadInput(fmt::format("{} {}: expected a number above 0", option, text));
  }
  return number;
}

}  // namespace

Result<Budget> ReadBudget(const BudgetText& text) {
  Budget limits;
  if (!text.max_time.empty()) {
    auto time = base::ParseDurationS(text.max_time);
    if (!time.ok()) return std::move(time).error().Wrap("--max-time " + text.max_time);
    if (*time <= 0) {
      return base::BadInput(fmt::format(
          "--max-time {}: nothing can be measured in no time; expected a time above 0, such as 30m",
          text.max_time));
    }
    limits.time_s = *time;
  }
  RECKON_ASSIGN(limits.cost, PositiveNumber("--max-cost", text.max_cost));
  std::string_view error = base::Trim(text.until_error);
  if (error.ends_with('%')) error = base::Trim(error.substr(0, error.size() - 1));
  RECKON_ASSIGN(limits.error_percent, PositiveNumber("--until-error", error));
  return limits;
}

}  // namespace reckon::app
