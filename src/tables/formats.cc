#include "tables/formats.h"

#include <array>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/text.h"
#include "tables/adapters/adaptdl.h"
#include "tables/adapters/ernest.h"
#include "tables/adapters/extrap.h"
#include "tables/progress_scope.h"

namespace reckon::tables {
namespace {

constexpr std::array<std::pair<const char*, Format>, 4> kFormats{{
    {"samples", Format::kTable},
    {"ernest", Format::kErnest},
    {"extrap", Format::kExtraP},
    {"adaptdl", Format::kAdaptDl},
}};

base::Status CheckFixedColumns(std::string_view format, const ReadOptions& options) {
  if (options.delimiter == 0 && options.numeric.empty() && options.category.empty()) return {};
  return base::BadInput(fmt::format(
      "the format '{}' fixes its columns: neither their kinds nor a delimiter can be chosen",
      format));
}

}  // namespace

base::Result<Format> ParseFormat(std::string_view name) {
  std::vector<std::string> known;
  for (const auto& [known_name, format] : kFormats) {
    if (name == known_name) return format;
    known.emplace_back(known_name);
  }
  return base::BadInput(fmt::format("unknown format '{}'{}", name, base::SuggestFrom(name, known)));
}

base::Result<core::Table> ReadAs(Format format, const Source& source, const ReadOptions& options,
                                 const std::stop_token& stop, base::Progress& progress) {
  switch (format) {
    case Format::kTable:
      return ReadTable(source, options, stop, progress);
    case Format::kAdaptDl:
      return ReadAdaptDl(source, options, stop, progress);
    case Format::kErnest: {
      RECKON_TRY(CheckFixedColumns("ernest", options));
      const ProgressScope scope(progress, fmt::format("reading {}", source.name()), 0);
      return ReadErnest(source, stop);
    }
    case Format::kExtraP: {
      RECKON_TRY(CheckFixedColumns("extrap", options));
      const ProgressScope scope(progress, fmt::format("reading {}", source.name()), 0);
      return ReadExtraP(source, stop);
    }
  }
  RECKON_CHECK(false);
}

}  // namespace reckon::tables
