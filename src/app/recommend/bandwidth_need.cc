#include "app/recommend/bandwidth_need.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/data.h"
#include "app/report/samples.h"
#include "app/runs/job_json.h"
#include "app/runs/run_samples.h"
#include "app/runs/runs.h"
#include "base/text.h"
#include "base/units.h"
#include "numeric/stats.h"
#include "spec/job_file.h"
#include "spec/lab_file.h"

namespace reckon::app {
namespace {

using base::Result;

constexpr const char* kThisMachine = "local";

// Of a run of one worker and one server; nullopt of others. The samples count what both of them
// sent, so half of it went each way.
std::optional<double> NeedIn(const core::Table& runs, size_t row) {
  if (NumberAt(runs, "workers", row, 0) != 1 || NumberAt(runs, "servers", row, 0) != 1) {
    return std::nullopt;
  }
  if (IsBlemished(runs, row)) return std::nullopt;
  const double bytes = NumberAt(runs, "bytes_sent", row, 0);
  const double seconds =
      NumberAt(runs, "training_loop_s", row, 0) / NumberAt(runs, "dilation", row, 1);
  if (!(bytes > 0) || !(seconds > 0)) return std::nullopt;
  return 8 * bytes / 2 / seconds;
}

// Whether a run did the work that is asked about: the same network, batch and so on, wherever and
// however long. `asked`: inputs, one row.
bool DidThisWork(const core::Table& runs, size_t row, const core::Table& asked) {
  static constexpr std::array<std::string_view, 12> kWhereAndHowLong{
      "engine", "workers",   "servers",  "cpus_per_worker",   "cpus",   "pool",
      "images", "host_cpus", "dilation", "validation_images", "epochs", "host_type"};
  for (const core::Column& column : asked.columns) {
    const std::string& name = column.name();
    if (!IsRunInput(name) || std::find(kWhereAndHowLong.begin(), kWhereAndHowLong.end(), name) !=
                                 kWhereAndHowLong.end()) {
      continue;
    }
    const auto found = runs.Find(name);
    if (found && runs.columns[*found].Text(row) != column.Text(0)) return false;
  }
  return true;
}

base::Status TakeGiven(const std::vector<std::string>& given,
                       const std::vector<core::MachineType>& workers, BandwidthNeed& need) {
  std::vector<std::string> names;
  for (const core::MachineType& type : workers) names.push_back(type.name);
  for (const std::string& text : given) {
    const size_t equals = text.find('=');
    const std::string type = equals == std::string::npos ? "" : text.substr(0, equals);
    auto rate = spec::ParseBitRate(equals == std::string::npos ? text : text.substr(equals + 1));
    if (!rate.ok()) return std::move(rate).error().Wrap("--need " + text);
    if (!type.empty() && std::find(names.begin(), names.end(), type) == names.end()) {
      return base::BadInput(fmt::format("--need {}: no machine type '{}'{}", text, type,
                                        base::SuggestFrom(type, names)));
    }
    for (const std::string& name : names) {
      if (type.empty() || type == name) need.bit_s[name] = *rate;
    }
  }
  return {};
}

// Pools are named after types, with a server's after a slash.
bool IsPoolOf(const std::string& pool, const std::string& type) {
  return core::IsSameType(pool.substr(0, pool.find('/')), type);
}

// `asked`: the job's inputs; nullopt: there is no job, any will do.
base::Status TakeCampaign(const std::string& campaign,
                          const std::vector<core::MachineType>& workers,
                          const std::optional<core::Table>& asked, const Context& context,
                          BandwidthNeed& need) {
  RECKON_ASSIGN(const CampaignSamples samples, LoadCampaignSamples(campaign, context));
  const auto pool = samples.runs.Find("pool");
  for (const core::MachineType& type : workers) {
    if (need.bit_s.contains(type.name)) continue;
    std::vector<double> seen;
    for (size_t row = 0; pool && row < samples.runs.row_count; ++row) {
      if (!IsPoolOf(samples.runs.columns[*pool].Text(row), type.name)) continue;
      if (asked && !DidThisWork(samples.runs, row, *asked)) continue;
      if (const auto one = NeedIn(samples.runs, row)) seen.push_back(*one);
    }
    if (seen.empty()) continue;
    // A server that was too slow holds its worker back: the fastest run knows best.
    need.bit_s[type.name] = *std::max_element(seen.begin(), seen.end());
    need.notes.push_back(fmt::format("{} needs {} Mbit/s, by {} of campaign '{}'", type.name,
                                     base::FormatNumber(need.bit_s[type.name] / 1e6),
                                     base::Count(seen.size(), "run"), campaign));
  }
  return {};
}

// By runs of that name on this machine that did this work.
Result<std::optional<double>> Remembered(const std::string& job, const core::Table& asked,
                                         const Context& context) {
  const auto store = OpenStore(context, false);
  if (!store.ok()) return std::optional<double>();
  RECKON_ASSIGN(const auto sets, (*store)->ListSampleSets());
  const std::string set = SampleSetsOf(job)[0];
  if (std::none_of(sets.begin(), sets.end(),
                   [&](const core::SampleSet& one) { return one.name == set; })) {
    return std::optional<double>();
  }
  RECKON_ASSIGN(const core::Table runs, (*store)->LoadSamples(set));
  const auto engine = runs.Find("engine");
  std::vector<double> seen;
  for (size_t row = 0; engine && row < runs.row_count; ++row) {
    if (runs.columns[*engine].Text(row) != kThisMachine || !DidThisWork(runs, row, asked)) continue;
    if (const auto one = NeedIn(runs, row)) seen.push_back(*one);
  }
  if (seen.empty()) return std::optional<double>();
  return std::optional(numeric::Median(seen));
}

// The inputs that a run of the job with one worker and one server would have.
Result<core::Table> InputsAlone(spec::JobFile file) {
  file.job.workers = 1;
  file.job.servers = std::min<int64_t>(file.job.servers, 1);
  RECKON_ASSIGN(const base::Json plan, PlanJob(file, kThisMachine));
  return InputsOf(ToJson(file.job), plan);
}

// A short run of the job: one epoch of some dozen steps.
RunRequest ShortRun(const std::string& path, const core::Job& job) {
  constexpr int64_t kSteps = 64;
  constexpr int64_t kMostValidated = 100;
  RunRequest run{path, kThisMachine, {{"num_nodes", "1"}, {"servers", "1"}}, "", ""};
  if (!job.trainer) return run;
  run.overrides.push_back({"trainer.epochs", "1"});
  if (!job.trainer->shards.empty()) return run;
  const core::TrainerData& data = job.trainer->data;
  const int64_t enough = kSteps * job.trainer->batches.front();
  if (data.images == 0 || data.images > enough) {
    run.overrides.push_back({"trainer.data.images", std::to_string(enough)});
  }
  if (data.validation_images > kMostValidated) {
    run.overrides.push_back({"trainer.data.validation_images", std::to_string(kMostValidated)});
  }
  return run;
}

}  // namespace

Result<BandwidthNeed> FindBandwidthNeed(const BandwidthRequest& request,
                                        const std::vector<core::MachineType>& workers,
                                        const Context& context) {
  BandwidthNeed need;
  RECKON_TRY(TakeGiven(request.given, workers, need));
  std::optional<spec::JobFile> file;
  std::optional<core::Table> asked;
  if (!request.job.empty()) {
    RECKON_ASSIGN(file, spec::ReadJobFile(request.job, {}));
    RECKON_ASSIGN(asked, InputsAlone(*file));
  }
  if (!request.campaign.empty()) {
    RECKON_TRY(TakeCampaign(request.campaign, workers, asked, context, need));
  }
  const auto known = [&](const core::MachineType& type) { return need.bit_s.contains(type.name); };
  if (std::all_of(workers.begin(), workers.end(), known)) return need;
  if (!file) {
    return base::BadInput(
        "what a worker sends and receives is not known; name a job file to measure it, or give it "
        "with --need 300Mbit");
  }
  if (file->job.servers < 1) {
    return base::BadInput(fmt::format(
        "job '{}' has no parameter server whose bandwidth could be shared out; this algorithm is "
        "for jobs with servers: 1 or more",
        file->job.name));
  }
  RECKON_ASSIGN(std::optional<double> own, Remembered(file->job.name, *asked, context));
  std::string how = "as measured before";
  if (!own) {
    RECKON_ASSIGN(const RunReport report, RunToEnd(ShortRun(request.job, file->job), context));
    if (report.run.state != core::RunState::kFinished) {
      return base::Error(
          base::ErrorCode::kFailed,
          fmt::format("the run that was to measure the bandwidth failed: {}", report.view.reason));
    }
    RECKON_ASSIGN(own, Remembered(file->job.name, *asked, context));
    if (!own) {
      return base::Error(base::ErrorCode::kFailed,
                         "the run that was to measure the bandwidth counted no bytes; give it "
                         "with --need 300Mbit");
    }
    how = fmt::format("measured by run {}", report.run.id);
  }
  for (const core::MachineType& type : workers) {
    if (!known(type)) need.bit_s[type.name] = *own;
  }
  need.notes.push_back(fmt::format(
      "a worker on this machine needs {} Mbit/s, {}; types that nothing else is known of are "
      "taken to be as fast",
      base::FormatNumber(*own / 1e6), how));
  return need;
}

}  // namespace reckon::app
