#include "base/version.h"

namespace reckon::base {

const char* Version() { return RECKON_VERSION; }

}  // namespace reckon::base
