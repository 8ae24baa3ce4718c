// What a JSON text would become, found out without making it: for texts of strangers.
#pragma once

#include <cstddef>
#include <string_view>

namespace reckon::base {

struct JsonShape {
  size_t depth = 0;      // of lists and objects in each other
  size_t most_keys = 0;  // of one object
};

// Stops where the text is deeper than `most_depth`, and then tells a depth above it. Of text that
// is no JSON it tells what brackets and colons look like.
JsonShape ShapeOfJson(std::string_view text, size_t most_depth);

}  // namespace reckon::base
