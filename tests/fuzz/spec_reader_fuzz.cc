// Job and lab files that anybody wrote: a job or a lab that keeps its promises, or an error with a
// place. The first byte picks the kind of file.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "base/check.h"
#include "spec/job_file.h"
#include "spec/lab_file.h"
#include "train/job_json.h"

namespace {

using namespace reckon;  // NOLINT(google-build-using-namespace): a program of its own

void CheckError(const base::Error& error) {
  RECKON_CHECK(error.code() == base::ErrorCode::kBadInput);
  RECKON_CHECK(error.Describe().find("fuzz.yaml") != std::string::npos);
}

void CheckReadJob(const core::Job& job) {
  RECKON_CHECK(job.trainer.has_value() != job.command.has_value());
  RECKON_CHECK(!job.name.empty());
  if (!job.trainer) return;
  // As it goes to the workers.
  const base::Json written = train::ToJson(*job.trainer);
  const auto again = train::ReadTrainerJob(written);
  RECKON_CHECK(again.ok());
  RECKON_CHECK(train::ToJson(*again) == written);
}

void CheckReadLab(const core::Lab& lab) {
  RECKON_CHECK(!lab.name.empty() && lab.name.size() <= 12);
  RECKON_CHECK(!lab.hosts.empty());
  RECKON_CHECK(lab.dilation >= 1);
  for (const core::LabHost& host : lab.hosts) {
    RECKON_CHECK(!host.name.empty());
    RECKON_CHECK(std::isfinite(host.cpus) && host.cpus / lab.dilation >= 0.00099);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const auto yaml = spec::Yaml::Parse(text, "fuzz.yaml");
  if (!yaml.ok()) {
    CheckError(yaml.error());
    return 0;
  }
  if (data[0] % 2 == 0) {
    const auto job = spec::JobFromYaml(*yaml, "fuzz.yaml");
    job.ok() ? CheckReadJob(*job) : CheckError(job.error());
  } else {
    const auto lab = spec::LabFromYaml(*yaml);
    lab.ok() ? CheckReadLab(*lab) : CheckError(lab.error());
  }
  return 0;
}
