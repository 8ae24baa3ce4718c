// The generic law in any of the languages of formulas.
#pragma once

#include <string>

#include "learn/regressors/formula.h"
#include "predict/formula_syntax.h"

namespace reckon::predict {

// The right-hand side, over several lines except in LaTeX. Terms of factor 0 are left out.
std::string LawText(const learn::PowerLawFormula& law, const learn::Schema& schema,
                    const Syntax& syntax);

// what^power; in code a call or an operator.
std::string PowerText(const std::string& what, double power, const Syntax& syntax);

}  // namespace reckon::predict
