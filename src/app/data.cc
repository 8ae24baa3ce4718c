#include "app/data.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/fingerprint.h"
#include "base/text.h"
#include "store/open.h"
#include "tables/formats.h"

namespace reckon::app {

base::Result<tables::ReadOptions> ToReadOptions(const DataRequest& request) {
  tables::ReadOptions options;
  options.numeric = request.numeric;
  options.category = request.category;
  if (request.delimiter == "tab" || request.delimiter == "\\t") {
    options.delimiter = '\t';
  } else if (request.delimiter.size() == 1) {
    options.delimiter = request.delimiter.front();
  } else if (!request.delimiter.empty()) {
    return base::BadInput(
        fmt::format("'{}' is no delimiter; expected one character or 'tab'", request.delimiter));
  }
  return options;
}

base::Result<std::string> SamplesAskedFor(const DataRequest& request, const Context& context) {
  if (!request.samples.empty()) return request.samples;
  RECKON_ASSIGN(const auto store, OpenStore(context, false));
  RECKON_ASSIGN(const std::vector<core::SampleSet> sets, store->ListSampleSets());
  if (sets.size() == 1) return sets.front().name;
  if (sets.empty()) {
    return base::BadInput(
        fmt::format("store '{}' holds no samples; give a file with --data, or import one first",
                    context.db.name()));
  }
  std::vector<std::string> names;
  for (const core::SampleSet& set : sets) names.push_back(set.name);
  return base::BadInput(fmt::format("store '{}' holds several sample sets; name one: {}",
                                    context.db.name(), base::Join(names, ", ")));
}

base::Result<core::Table> LoadData(const DataRequest& request, const Context& context) {
  if (request.file.empty()) {
    RECKON_ASSIGN(const std::string name, SamplesAskedFor(request, context));
    RECKON_ASSIGN(const auto store, OpenStore(context, false));
    return store->LoadSamples(name);
  }
  if (!request.samples.empty()) {
    return base::BadInput("--data and --samples were both given; expected one of them");
  }
  RECKON_ASSIGN(const tables::Format format, tables::ParseFormat(request.format));
  RECKON_ASSIGN(const tables::ReadOptions options, ToReadOptions(request));
  RECKON_ASSIGN(const tables::Source source, tables::Source::Open(request.file));
  return tables::ReadAs(format, source, options, context.stop, context.progress);
}

base::Result<bool> IsCollected(const DataRequest& request, const Context& context) {
  if (!request.file.empty()) return false;
  RECKON_ASSIGN(const auto store, OpenStore(context, false));
  RECKON_ASSIGN(const std::vector<core::SampleSet> sets, store->ListSampleSets());
  return std::any_of(sets.begin(), sets.end(), [&](const core::SampleSet& set) {
    return set.source == core::kCollected &&
           (set.name == request.samples || (request.samples.empty() && sets.size() == 1));
  });
}

base::Result<std::unique_ptr<store::Store>> OpenStore(const Context& context, bool create) {
  store::OpenOptions options;
  options.create = create;
  return store::Open(context.db.address(), context.clock, options);
}

std::string FingerprintOf(const core::Table& table) {
  base::Fingerprint print;
  for (const core::Column& column : table.columns) {
    print.Add(column.name());
    print.Add(core::ColumnKindName(column.kind()));
    for (const std::string& level : column.levels()) {
      print.Add(level);
      print.Add(std::string_view("\0", 1));
    }
    for (size_t row = 0; row < column.size(); ++row) print.Add(column[row]);
  }
  return print.Hex();
}

}  // namespace reckon::app
