// The store's models as JSON: what there is, and what one of them asks for.
#pragma once

#include <string>

#include "base/json.h"
#include "base/result.h"
#include "store/store.h"

namespace reckon::app {

// {"models": [...]}: every name once, by its newest version, newest first.
base::Result<base::Json> ListStoredModels(store::Store& store);
// The newest version of that name. kNotFound.
base::Result<base::Json> DescribeStoredModel(const std::string& name, store::Store& store);

}  // namespace reckon::app
