#include "tables/header.h"

#include <string_view>
#include <unordered_set>

#include <fmt/format.h>

#include "base/text.h"

namespace reckon::tables {

base::Result<std::vector<std::string>> ScanHeader(const Source& source, CsvScanner& scanner) {
  RECKON_ASSIGN(const bool any, scanner.Next());
  if (!any) {
    return base::BadInput(
        fmt::format("{} is empty; expected a header line and rows below it", source.name()));
  }
  std::vector<std::string> names;
  std::unordered_set<std::string_view> seen;
  names.reserve(scanner.fields().size());
  for (const std::string_view field : scanner.fields()) {
    const std::string_view name = base::Trim(field);
    if (name.empty()) {
      return base::BadInput(fmt::format("{}, line {}: column {} has no name", source.name(),
                                        scanner.line(), names.size() + 1));
    }
    if (!base::IsUtf8(name)) {
      return NotUtf8(source, scanner.line(),
                     fmt::format("the name of column {}", names.size() + 1));
    }
    names.emplace_back(name);
    if (!seen.insert(name).second) {
      return base::BadInput(fmt::format("{}, line {}: two columns are named '{}'", source.name(),
                                        scanner.line(), name));
    }
  }
  return names;
}

base::Error RaggedRow(const Source& source, const CsvScanner& scanner, size_t expected) {
  const size_t count = scanner.fields().size();
  // Guessed from the header; who sees the wrong guess knows what to do.
  std::string ends;
  if (scanner.delimiter() == '\t') ends = " (cells end at tabs)";
  if (scanner.delimiter() == ';') ends = " (cells end at semicolons)";
  return base::BadInput(fmt::format("{}, line {}: {}, expected {} as in the header{}",
                                    source.name(), scanner.line(), base::Count(count, "cell"),
                                    expected, ends));
}

base::Error ChangedWhileRead(const Source& source) {
  return {base::ErrorCode::kUnavailable,
          fmt::format("{} changed while it was being read", source.name())};
}

}  // namespace reckon::tables
