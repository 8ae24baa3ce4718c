#include "tables/adapters/extrap.h"

#include <string>

#include <fmt/format.h>

#include "tables/adapters/extrap_json.h"
#include "tables/adapters/extrap_text.h"

namespace reckon::tables {

base::Result<core::Table> ReadExtraP(const Source& source, const std::stop_token& stop) {
  RECKON_ASSIGN(const std::string text, ReadText(source));
  const size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string::npos) return base::BadInput(fmt::format("{} is empty", source.name()));
  return text[first] == '{' ? ReadExtraPJson(text, source.name(), stop)
                            : ReadExtraPText(text, source.name(), stop);
}

}  // namespace reckon::tables
