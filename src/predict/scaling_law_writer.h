// Laws of the library in any of the languages of formulas.
#pragma once

#include <string>

#include "learn/laws/scaling_law.h"
#include "predict/formula_syntax.h"

namespace reckon::predict {

// The right-hand side in words or LaTeX. Terms of coefficient 0 are left out.
std::string ScalingLawText(const learn::ScalingLaw& law, const learn::Schema& schema,
                           const Syntax& syntax);

// "workers^-0.98", "1.3^[gpu = k80]": what one input of a law multiplies a time by.
std::string InputText(const learn::LawInput& input, double weight, const learn::Schema& schema,
                      const Syntax& syntax);

// The sum of the terms of one part, on one line.
std::string PartText(const learn::ScalingLaw& law, learn::LawPart part, const Syntax& syntax);

}  // namespace reckon::predict
