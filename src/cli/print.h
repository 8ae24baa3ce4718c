// Pieces of text that several commands print.
#pragma once

#include <string>
#include <vector>

#include "app/learning.h"
#include "core/forecast.h"
#include "core/table.h"

namespace reckon::cli {

// "7.03" or "-" when undefined.
std::string PercentText(const std::optional<double>& percent);

// The leaderboard: a row a technique with its errors; the chosen one is marked.
std::string TechniqueTable(const std::vector<app::TechniqueRow>& rows);

// Questions with their forecasts, at most `limit` rows, without the columns `granted`.
std::string ForecastTable(const core::Table& questions, const std::vector<std::string>& granted,
                          const std::vector<core::Forecast>& forecasts, size_t limit);

// "note: ..." lines.
std::string NoteLines(const std::vector<std::string>& notes);

}  // namespace reckon::cli
