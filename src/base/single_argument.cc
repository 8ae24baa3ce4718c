#include "base/single_argument.h"

#include <cstdio>

namespace reckon::base {

SingleArgument TakeSingleArgument(int argc, char** argv, const char* usage) {
  SingleArgument argument;
  if (argc == 2) argument.value = argv[1];
  if (argument.value == "--help" || argument.value == "-h") {
    std::fputs(usage, stdout);
    argument.exit_code = 0;
  } else if (argument.value.empty() || argument.value[0] == '-') {
    std::fputs(usage, stderr);
    argument.exit_code = 2;
  }
  return argument;
}

}  // namespace reckon::base
