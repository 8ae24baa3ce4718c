#include "base/named_values.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"

namespace reckon::base {

Result<NamedValues> TakeNamedValues(std::span<const std::string> arguments,
                                    std::span<const std::string> names) {
  NamedValues values;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const size_t equals = arguments[i].find('=');
    const std::string name = arguments[i].substr(0, equals);
    if (std::ranges::find(names, name) == names.end()) {
      return BadInput(fmt::format("unknown option '{}'{}", name, SuggestFrom(name, names)));
    }
    if (equals != std::string::npos) {
      values[name] = arguments[i].substr(equals + 1);
    } else if (++i < arguments.size()) {
      values[name] = arguments[i];
    } else {
      return BadInput(name + ": expected a value");
    }
  }
  return values;
}

Error UnexpectedValue(const std::string& name, const std::string& found,
                      std::string_view expected) {
  return BadInput(fmt::format("{}: '{}'; expected {}", name, found, expected));
}

}  // namespace reckon::base
