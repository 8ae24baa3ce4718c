// What fit and validate have in common: a table, a target, and how to look for a model.
#pragma once

#include <string>
#include <vector>

#include "app/context.h"
#include "app/data.h"
#include "base/result.h"
#include "core/metrics.h"
#include "learn/search/search.h"

namespace reckon::app {

struct LearnRequest {
  DataRequest data;
  std::string target;
  std::vector<std::string> ignore;
  std::string missing = "fill";
  std::vector<std::string> techniques;  // empty: all that apply
  std::string preset;                   // a published list of candidates instead; empty: none
  std::string features;                 // "raw,inverse=workers,log", empty: searched
  uint64_t degree = 0;                  // 1..3; 0: searched
  std::string select;                   // "forward", "importance=0.9", empty: none
  uint64_t max_terms = 0;               // that a selection keeps; 0: no limit of its own
  std::string scale;                    // "linear" or "log", empty: searched
  std::string workers;                  // column names; empty: guessed
  std::string size;
  std::string nodes;
  std::string batch;
  std::string bytes;
  std::string servers;
  std::string work;
  std::string activations;
  std::string threads;
  std::string epochs;
  std::string machine;
  std::vector<std::string> extrinsic;
  std::string penalty;  // of the generic law: "l1", "l2=0.001"; empty: none
  uint64_t seed = 1;
};

// The rows that learners see, with what the user fixed for them.
struct Prepared {
  core::Table table;
  learn::DatasetOptions dataset_options;
  learn::Dataset data;
  learn::SearchOptions search;
  std::vector<std::string> notes;
};

// The names that LearnRequest::techniques may hold.
std::vector<std::string> KnownTechniques();
// And LearnRequest::preset.
std::vector<std::string> KnownPresets();

// Reads and checks everything before any work starts: kBadInput for whatever is wrong.
base::Result<Prepared> Prepare(const LearnRequest& request, const Context& context);
// Likewise of a table that is at hand instead of the request's data; all its columns but the target
// and those ignored are inputs.
base::Result<Prepared> PrepareTable(const LearnRequest& request, core::Table table,
                                    const Context& context);

// One technique's best candidate and its errors.
struct TechniqueRow {
  std::string technique;
  std::string description;
  core::Metrics training;
  core::Metrics selection;
  std::optional<core::Metrics> validation;
  bool chosen = false;
};

}  // namespace reckon::app
