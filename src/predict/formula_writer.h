// A model as a formula in words, LaTeX, Python or C++.
#pragma once

#include <string>

#include "base/result.h"
#include "learn/model.h"

namespace reckon::predict {

enum class FormulaLanguage { kText, kLatex, kPython, kCpp };

// "text", "latex", "python" or "cpp".
base::Result<FormulaLanguage> ParseFormulaLanguage(const std::string& name);

// The model's formula; for Python and C++ a function that runs as it stands and gives the model's
// predictions.
std::string WriteFormula(const learn::Model& model, FormulaLanguage language);

}  // namespace reckon::predict
