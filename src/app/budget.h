// What may be spent on measuring, and how good forecasts are to become.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"

namespace reckon::app {

// As people write it; empty: no limit.
struct BudgetText {
  std::string max_time;     // "30m"
  std::string max_cost;     // "2.50"
  std::string until_error;  // "5%", "5"
};

struct Budget {
  std::optional<double> time_s;
  std::optional<double> cost;
  std::optional<double> error_percent;
};

// kBadInput names the option: what is no number, or nothing at all.
base::Result<Budget> ReadBudget(const BudgetText& text);

}  // namespace reckon::app
