#include "app/recommend/bandwidth_need.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/data.h"
#include "app/report/samples.h"
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

// Pools are named after types, with a server's after a slash, and dashes where types have dots.
bool IsPoolOf(const std::string& pool, const std::string& type) {
  std::string name = pool.substr(0, pool.find('/'));
  std::string other = type;
  std::replace(name.begin(), name.end(), '.', '-');
  std::replace(other.begin(), other.end(), '.', '-');
  return name == other;
}

base::Status TakeCampaign(const std::string& campaign,
                          const std::vector<core::MachineType>& workers, const Context& context,
                          BandwidthNeed& need) {
  RECKON_ASSIGN(const CampaignSamples samples, LoadCampaignSamples(campaign, context));
  const auto pool = samples.runs.Find("pool");
  for (const core::MachineType& type : workers) {
    if (need.bit_s.contains(type.name)) continue;
    std::vector<double> seen;
    for (size_t row = 0; pool && row < samples.runs.row_count; ++row) {
      if (!IsPoolOf(samples.runs.columns[*pool].Text(row), type.name)) continue;
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

Result<std::optional<double>> Remembered(const std::string& job, const Context& context) {
  const auto store = OpenStore(context, false);
  if (!store.ok()) return std::optional<double>();
  RECKON_ASSIGN(const auto sets, (*store)->ListSampleSets());
  const std::string set = SampleSetsOf(job)[0];
  if (std::none_of(sets.begin(), sets.end(),
                   [&](const core::SampleSet& one) { return one.name == set; })) {
    return std::optional<double>();
  }
  RECKON_ASSIGN(const core::Table runs, (*store)->LoadSamples(set));
  std::vector<double> seen;
  for (size_t row = 0; row < runs.row_count; ++row) {
    if (const auto one = NeedIn(runs, row)) seen.push_back(*one);
  }
  if (seen.empty()) return std::optional<double>();
  return std::optional(numeric::Median(seen));
}

}  // namespace

Result<BandwidthNeed> FindBandwidthNeed(const BandwidthRequest& request,
                                        const std::vector<core::MachineType>& workers,
                                        const Context& context) {
  BandwidthNeed need;
  RECKON_TRY(TakeGiven(request.given, workers, need));
  if (!request.campaign.empty()) {
    RECKON_TRY(TakeCampaign(request.campaign, workers, context, need));
  }
  const auto known = [&](const core::MachineType& type) { return need.bit_s.contains(type.name); };
  if (std::all_of(workers.begin(), workers.end(), known)) return need;
  if (request.job.empty()) {
    return base::BadInput(
        "what a worker sends and receives is not known; name a job file to measure it, or give it "
        "with --need 300Mbit");
  }
  RECKON_ASSIGN(const spec::JobFile file, spec::ReadJobFile(request.job, {}));
  if (file.job.servers < 1) {
    return base::BadInput(fmt::format(
        "job '{}' has no parameter server whose bandwidth could be shared out; this algorithm is "
        "for jobs with servers: 1 or more",
        file.job.name));
  }
  RECKON_ASSIGN(std::optional<double> own, Remembered(file.job.name, context));
  std::string how = "as measured before";
  if (!own) {
    RunRequest run{request.job, "local", {{"num_nodes", "1"}, {"servers", "1"}}, ""};
    if (file.job.trainer) run.overrides.push_back({"trainer.epochs", "1"});
    RECKON_ASSIGN(const RunReport report, RunToEnd(run, context));
    if (report.run.state != core::RunState::kFinished) {
      return base::Error(
          base::ErrorCode::kFailed,
          fmt::format("the run that was to measure the bandwidth failed: {}", report.view.reason));
    }
    RECKON_ASSIGN(own, Remembered(file.job.name, context));
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
