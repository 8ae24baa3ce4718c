// Secrets and names that nobody can guess.
#pragma once

#include <string>

#include "base/result.h"

namespace reckon::base {

// 128 bits of the system's randomness as 32 hexadecimal digits. kIo: it gives none.
Result<std::string> RandomToken();

}  // namespace reckon::base
