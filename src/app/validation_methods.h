// The ways of holding rows out that `validate` was asked for.
#pragma once

#include <vector>

#include "app/validate.h"

namespace reckon::app {

// In the order: hold-out, folds, interpolations, extrapolations; five folds when nothing was asked.
// kBadInput, naming the option, for columns or values that the data does not have.
base::Result<std::vector<ValidationMethod>> ValidationMethods(const ValidateRequest& request,
                                                              const learn::Dataset& data);

}  // namespace reckon::app
