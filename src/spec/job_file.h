// JOB.yaml: what people write about a job, in the style of SkyPilot. docs/job-file.md has every
// key.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "core/job.h"
#include "spec/yaml.h"

namespace reckon::spec {

// A value that replaces or adds one of the file's: "trainer.batch", "64".
struct Override {
  std::string path;
  std::string value;
};

// A job that was read, and where each of its values was written.
struct JobFile {
  core::Job job;
  Yaml yaml;

  // The error with the place of the value that it is about: "job.yaml, line 7: trainer.batch" or
  // "--set trainer.batch". One that is about none stays as it is.
  base::Error Placed(base::Error error) const;
};

// Paths in the file are taken from its folder. kBadInput names file, line, key and what was
// expected; whether the values make sense together is for train::CheckJob to say.
base::Result<JobFile> ReadJobFile(const std::filesystem::path& path,
                                  const std::vector<Override>& overrides);

// A job that is part of another document, and changes to it that were made already.
base::Result<JobFile> ReadJob(const Yaml& root, const std::filesystem::path& path);

// kBadInput: no name for something that is known of a job before it starts.
base::Status CheckKnown(std::string_view name);

// `path` gives the job its folder and, where the text has none, its name.
base::Result<core::Job> JobFromYaml(const Yaml& root, const std::filesystem::path& path);

}  // namespace reckon::spec
