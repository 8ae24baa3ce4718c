// A managed run as the document that the store keeps of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/manage/data_update.h"
#include "base/json.h"
#include "base/result.h"
#include "spec/job_file.h"
#include "watch/managed_run.h"

namespace reckon::app {

// What somebody has asked for: a job file and changes to it. Kept as it came, since every attempt
// is planned from it anew.
struct JobText {
  std::string text;
  std::string source = "job.yaml";  // the file's name, for messages
  std::vector<spec::Override> overrides;
  std::string user = {};  // who asked, and what for: for limits and the spend
  std::string project = {};
  std::string bundle = {};  // SHA-256 of the code that it runs, which was sent; empty: none was
  std::string model = {};   // of the store, to forecast the run with; empty: none
};

// A version of a published model, which a run answers with until it is stopped.
struct Serving {
  std::string name;
  int64_t version = 0;
};

struct ManagedDocument {
  JobText job;
  watch::ManagedRun run;  // without its number and state, which the store keeps beside
  std::optional<DataUpdate> update = {};  // a data store has asked for it
  std::optional<Serving> serving = {};    // it answers for a published model
};

base::Json ToJson(const ManagedDocument& document);
// kCorrupt: it is none of ours.
base::Result<ManagedDocument> ManagedDocumentFromJson(const base::Json& json);

}  // namespace reckon::app
