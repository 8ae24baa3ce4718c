// The file that predict writes: every input column, and the forecasts beside them.
#pragma once

#include "app/predict.h"
#include "base/file.h"

namespace reckon::app {

// Whether the file can be read more than once, and as often as needed.
bool IsPlainFile(const std::string& path);

// Writes the forecasts of `report` for `request.out`, up to Commit. kBadInput when the input has a
// column of one of the added names.
base::Result<base::AtomicFile> PrepareForecastFile(const PredictRequest& request,
                                                   const PredictReport& report,
                                                   const Context& context);

}  // namespace reckon::app
