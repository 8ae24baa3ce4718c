// reckon refit: a new version of a model from all that runs have measured since.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/context.h"
#include "base/json.h"
#include "base/result.h"

namespace reckon::app {

struct RefitRequest {
  std::string model;   // name in the store
  bool force = false;  // also when it is not better
};

struct RefitReport {
  std::string model;
  std::string samples;      // that it learned from
  int64_t old_version = 0;  // numbers in the store
  int64_t new_version = 0;  // 0: not saved
  size_t rows = 0;
  // On the newest runs that were forecast, left out of the new one for this: mean absolute
  // percentage errors, of the forecasts that were given and of those it would have given.
  size_t tested = 0;
  std::optional<double> old_mape_percent;
  std::optional<double> new_mape_percent;
  std::string rows_used;  // "all", "adjusted", "recent": see below
  std::string why;        // it was saved or not, in words
};

// The model is fitted again to the samples that it came from, with the same columns and
// techniques. What its newest version has forecast tells since when actual / forecast has been at
// its present level. Three ways are tried: all rows as they are; rows of before multiplied by how
// the level has changed ("adjusted": the same law on a machine that became slower); and rows since
// then alone ("recent", from twelve on). Tested is on every second run of the present level (at
// most ten, at least two), which none of them sees. The best is saved, fitted with these runs too,
// if it is better there than the forecasts that were given.
//
// kNotFound: no such model or samples. kBadInput: it came from a file; or there is nothing to test
// it on, and it is not forced.
base::Result<RefitReport> Refit(const RefitRequest& request, const Context& context);

base::Json ToJson(const RefitReport& report);

}  // namespace reckon::app
