// What a campaign leaves behind, as texts of files.
#pragma once

#include <string>
#include <vector>

#include "app/automl/automl.h"
#include "learn/model.h"

namespace reckon::app {

// For people: errors of every run, and the models with their formulas.
std::string ResultsText(const AutomlReport& report, const std::vector<learn::Model>& models);

// A line for each technique of each run, and for each model fitted to all rows.
std::string ResultsTable(const AutomlReport& report);

// What one technique came to.
std::string TechniqueText(const AutomlRow& row, const learn::Model& model);

// Forecasts of validation rows against what was measured.
std::string DrawHeldOut(const std::string& label, const std::string& target, const Gathered& rows);

}  // namespace reckon::app
