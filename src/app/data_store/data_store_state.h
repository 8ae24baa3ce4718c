// What a data store remembers over restarts.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace reckon::app {

struct DataStoreState {
  // Of the update that it has asked for, from before it asks on.
  std::optional<int64_t> run;        // not known yet: it asks just now, or nothing is open
  std::string validation;            // print of the images that it is validated on
  std::vector<std::string> pieces;   // of that update: what comes meanwhile is for the next one
  std::vector<std::string> trained;  // pieces of the last update that succeeded
  std::optional<double> last_at;     // when the last one began, seconds since 1970
  std::optional<double> failed_at;   // when the last one failed; not: it did not
  std::optional<double> accuracy;    // of the model that is kept
  int64_t fetched = 0;               // the last judged answer whose image has come
  std::string judged_by;             // print of the images that this was measured on
};

// An empty one without a file. kCorrupt: it is none of ours.
base::Result<DataStoreState> ReadDataStoreState(const std::filesystem::path& file);
base::Status WriteDataStoreState(const DataStoreState& state, const std::filesystem::path& file);

}  // namespace reckon::app
