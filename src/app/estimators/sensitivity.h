// How an output goes with an input: rank correlation, and the ends compared.
#pragma once

#include <vector>

#include "app/estimators/estimators.h"
#include "app/estimators/node_tables.h"

namespace reckon::app {

// A row for each input of the function.
std::vector<SensitivityRow> SensitivityOf(const EstimatorData& data);

}  // namespace reckon::app
