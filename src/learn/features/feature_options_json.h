// Feature options in model files.
#pragma once

#include "base/json.h"
#include "learn/features/augment.h"

namespace reckon::learn {

// What is as usual is not written, so that files of versions that did not know it look the same.
base::Json FeatureOptionsToJson(const FeatureOptions& options);
// kCorrupt when a field is of another kind, or one that was always there is missing.
base::Result<FeatureOptions> FeatureOptionsFromJson(const base::Json& json);

}  // namespace reckon::learn
