// A model as a function in Python or C++ that needs nothing but the standard library.
#pragma once

#include <string>

#include "learn/model.h"
#include "predict/formula_writer.h"

namespace reckon::predict {

// kPython or kCpp.
std::string FormulaCode(const learn::Model& model, FormulaLanguage language);

}  // namespace reckon::predict
