#include "base/json_shape.h"

#include <algorithm>
#include <vector>

namespace reckon::base {

JsonShape ShapeOfJson(std::string_view text, size_t most_depth) {
  JsonShape shape;
  std::vector<size_t> keys;  // so far, of each list and object that is open
  bool in_string = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      if (c == '"') in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{' || c == '[') {
      keys.push_back(0);
      shape.depth = std::max(shape.depth, keys.size());
      if (shape.depth > most_depth) return shape;
    } else if ((c == '}' || c == ']') && !keys.empty()) {
      keys.pop_back();
    } else if (c == ':' && !keys.empty()) {
      shape.most_keys = std::max(shape.most_keys, ++keys.back());
    }
  }
  return shape;
}

}  // namespace reckon::base
