// A managed run as the document that the store keeps of it.
#pragma once

#include <string>
#include <vector>

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
};

struct ManagedDocument {
  JobText job;
  watch::ManagedRun run;  // without its number and state, which the store keeps beside
};

base::Json ToJson(const ManagedDocument& document);
// kCorrupt: it is none of ours.
base::Result<ManagedDocument> ManagedDocumentFromJson(const base::Json& json);

}  // namespace reckon::app
