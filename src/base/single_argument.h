// Programs that take one argument, and help.
#pragma once

#include <optional>
#include <string>

namespace reckon::base {

struct SingleArgument {
  std::string value;
  std::optional<int> exit_code;  // set: the program has nothing more to do
};

// Prints `usage` for --help (exit code 0), and for anything but one argument that is no option (2).
SingleArgument TakeSingleArgument(int argc, char** argv, const char* usage);

}  // namespace reckon::base
