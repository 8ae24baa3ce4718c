// What a program of ours returns to its caller.
#pragma once

#include "base/result.h"

namespace reckon::base {

// 0 done, 1 the work failed, 2 bad use or bad input, 130 interrupted.
int ExitCode(ErrorCode code);

}  // namespace reckon::base
