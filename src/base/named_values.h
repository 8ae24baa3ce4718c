// Command lines of programs whose options all have a value.
#pragma once

#include <map>
#include <span>
#include <string>

#include "base/result.h"

namespace reckon::base {

using NamedValues = std::map<std::string, std::string>;

// "--name value" and "--name=value"; the last of a name counts. kBadInput for a name that is not
// among `names`, and for one without its value.
Result<NamedValues> TakeNamedValues(std::span<const std::string> arguments,
                                    std::span<const std::string> names);

// "--cpu: '101'; expected a percentage".
Error UnexpectedValue(const std::string& name, const std::string& found, std::string_view expected);

}  // namespace reckon::base
