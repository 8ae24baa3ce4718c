// The ways of holding rows out that `validate` was asked for.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/validate.h"
#include "learn/validate/splits.h"

namespace reckon::app {

struct ValidationMethod {
  std::string label;
  std::vector<learn::Split> splits;
  std::optional<std::string> extrapolate;  // models are chosen for this question
};

// In the order: hold-out, folds, interpolations, extrapolations; five folds when nothing was asked.
// kBadInput, naming the option, for columns or values that the data does not have.
base::Result<std::vector<ValidationMethod>> ValidationMethods(const ValidateRequest& request,
                                                              const learn::Dataset& data);

}  // namespace reckon::app
