// The generic law in any of the languages of formulas.
#pragma once

#include <string>

#include "learn/regressors/formula.h"
#include "predict/formula_syntax.h"

namespace reckon::predict {

// The right-hand side, over several lines except in LaTeX. Terms of factor 0 are left out.
std::string LawText(const learn::PowerLawFormula& law, const learn::Schema& schema,
                    const Syntax& syntax);

}  // namespace reckon::predict
