// Student's distribution, for tests of coefficients.
#pragma once

namespace reckon::numeric {

// The probability of a value at least as far from 0 as `t`, on either side; freedom > 0.
double TwoSidedStudent(double t, double freedom);

}  // namespace reckon::numeric
