// What the operating system refused, in words.
#pragma once

#include <cerrno>
#include <string>

#include "base/result.h"

namespace reckon::base {

// "Permission denied".
std::string SystemMessage(int code);

// kIo: "WHAT: Permission denied".
Error SystemError(const std::string& what, int code = errno);

}  // namespace reckon::base
