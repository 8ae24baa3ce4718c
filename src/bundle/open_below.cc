#include "bundle/open_below.h"

#include <string>
#include <utility>

#include <fcntl.h>

namespace reckon::bundle {

Descriptor OpenBelow(const Descriptor& folder, std::string_view name, int flags) {
  Descriptor above;
  int from = folder.get();
  for (;;) {
    const size_t slash = name.find('/');
    const bool is_last = slash == std::string_view::npos;
    const std::string part(name.empty() ? "." : name.substr(0, slash));
    const int how = is_last ? flags : O_PATH | O_DIRECTORY;
    Descriptor next(openat(from, part.c_str(), how | O_NOFOLLOW | O_CLOEXEC));
    if (is_last || !next.ok()) return next;
    name.remove_prefix(slash + 1);
    above = std::move(next);
    from = above.get();
  }
}

}  // namespace reckon::bundle
