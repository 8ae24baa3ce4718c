// The options that fit and validate share.
#pragma once

#include "app/learning.h"
#include "cli/options.h"

namespace reckon::cli {

// --data, --samples, --as and the kinds of columns.
void DeclareData(OptionSet& options, app::DataRequest& data);

void DeclareLearning(OptionSet& options, app::LearnRequest& learn);

}  // namespace reckon::cli
