// The version of this program, as CMakeLists.txt has it.
#pragma once

namespace reckon::base {

const char* Version();

}  // namespace reckon::base
