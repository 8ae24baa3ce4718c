#include "base/system_error.h"

#include <system_error>

namespace reckon::base {

std::string SystemMessage(int code) { return std::generic_category().message(code); }

Error SystemError(const std::string& what, int code) {
  return {ErrorCode::kIo, what + ": " + SystemMessage(code)};
}

}  // namespace reckon::base
