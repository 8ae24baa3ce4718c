// Secrets and names that nobody can guess.
#pragma once

#include <cstddef>
#include <string>

#include "base/result.h"

namespace reckon::base {

// So many bytes of the system's randomness, at most 256, as hexadecimal digits. kIo: it gives none.
Result<std::string> RandomToken(size_t bytes = 16);

}  // namespace reckon::base
