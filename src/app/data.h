// Where a use case takes its table from: a file, or a sample set of the store.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/context.h"
#include "base/result.h"
#include "core/table.h"
#include "store/store.h"
#include "tables/reader.h"

namespace reckon::app {

struct DataRequest {
  std::string file;                // empty: the store
  std::string samples;             // name of a set in the store; empty: the only one
  std::string format = "samples";  // of the file: samples, ernest, extrap or adaptdl
  std::string delimiter;           // one character, "tab", or empty to guess
  std::vector<std::string> numeric;
  std::vector<std::string> category;
};

// How the reader is to take the request's file.
base::Result<tables::ReadOptions> ToReadOptions(const DataRequest& request);

// The set of the store that a request without a file asks for. kBadInput: it names none, and there
// is not just one.
base::Result<std::string> SamplesAskedFor(const DataRequest& request, const Context& context);

base::Result<core::Table> LoadData(const DataRequest& request, const Context& context);

// Whether it asks for a set that runs of ours have collected.
base::Result<bool> IsCollected(const DataRequest& request, const Context& context);

// Opens the store; kNotFound when there is none and `create` is false.
base::Result<std::unique_ptr<store::Store>> OpenStore(const Context& context, bool create);

// The same content gives the same fingerprint, whatever file it came from.
std::string FingerprintOf(const core::Table& table);

}  // namespace reckon::app
