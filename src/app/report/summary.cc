#include "app/report/summary.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/campaigns/standing.h"
#include "app/report/figure.h"
#include "base/text.h"
#include "base/units.h"

namespace reckon::app {
namespace {

void CountPoint(const std::vector<Attempt>& attempts, ReportSummary& summary) {
  const Standing standing = StandingOf(attempts);
  if (standing.mean) {
    ++summary.measured;
  } else if (standing.failed > 0) {
    ++summary.failed;
  }
  summary.runs += standing.measured + standing.disturbed;
  summary.disturbed += standing.disturbed;
  summary.failed_runs += standing.failed;
  for (const Attempt& attempt : attempts) summary.seconds += attempt.seconds;
}

std::string PointsText(const ReportSummary& summary) {
  std::string text = fmt::format("{} of {} measured", summary.measured, summary.points);
  if (summary.failed > 0) text += fmt::format(", {} failed", summary.failed);
  if (summary.impossible > 0) text += fmt::format(", {} impossible", summary.impossible);
  if (summary.waiting > 0) text += fmt::format(", {} waiting", summary.waiting);
  return text;
}

std::string RunsText(const ReportSummary& summary) {
  std::string text = fmt::format("{} in {}", base::Count(summary.runs, "run"),
                                 base::FormatDuration(summary.seconds));
  if (summary.disturbed > 0) {
    text += fmt::format("; {} disturbed by others and left out below", summary.disturbed);
  }
  if (summary.failed_runs > 0) text += fmt::format("; {} failed", summary.failed_runs);
  return text;
}

std::string MachineText(const ReportSummary& summary) {
  std::string text =
      summary.cpus ? base::Count(static_cast<uint64_t>(*summary.cpus), "core") : "not recorded";
  if (summary.memory) text += ", " + base::FormatBytes(static_cast<uint64_t>(*summary.memory));
  if (summary.lab.empty()) return text;
  text += fmt::format("; lab '{}'", summary.lab);
  if (summary.dilation == 1) return text;
  return text + fmt::format(
                    " of emulated hosts, where time runs {} times slower: divide times by "
                    "that for those of the real hosts",
                    base::FormatNumber(summary.dilation));
}

std::string NoiseText(const RepeatNoise& noise) {
  if (!noise.percent) return "unknown: no point was measured twice undisturbed";
  return fmt::format(
      "{:.2f} % (mean relative standard deviation over {}, {}): the floor for the error of any "
      "model",
      *noise.percent, base::Count(noise.groups, "point"), base::Count(noise.values, "run"));
}

}  // namespace

ReportSummary MakeSummary(const CampaignSamples& samples) {
  const base::Json& document = samples.document;
  ReportSummary summary;
  summary.campaign = samples.campaign.name;
  summary.file = document.value("file", "");
  summary.design = document.value("design", "");
  summary.target = samples.target;
  summary.varied = document.value("vary", std::vector<std::string>{});
  for (const auto& [point, attempts] : samples.history.by_point) CountPoint(attempts, summary);
  summary.impossible = document.value("impossible", size_t{0});
  // A file that was changed since may name fewer points than were measured.
  const size_t settled = summary.measured + summary.failed + summary.impossible;
  summary.points = std::max(document.value("points", size_t{0}), settled);
  summary.waiting = summary.points - settled;
  if (document.contains("machine")) {
    summary.cpus = document["machine"].value("cpus", 0.0);
    summary.memory = document["machine"].value("memory_bytes", 0.0);
  }
  if (document.contains("lab")) {
    summary.lab = document["lab"].value("name", "");
    summary.dilation = document["lab"].value("dilation", 1.0);
  }
  summary.noise = NoiseOf(samples.history, samples.runs, samples.target);
  summary.pace = samples.pace;
  return summary;
}

void AddSummary(const ReportSummary& summary, Page& page) {
  page.Section("summary", "Summary");
  PageTable table{"", {{"", false}, {"", false}}, {}};
  const auto add = [&](const char* name, const std::string& text) {
    if (!text.empty()) table.rows.push_back({{name, text}});
  };
  add("campaign", summary.campaign);
  add("file", summary.file);
  add("design", summary.design);
  add("varied", base::Join(summary.varied, ", "));
  add("target", summary.target);
  add("points", PointsText(summary));
  add("runs", RunsText(summary));
  add("machine", MachineText(summary));
  add("pace of processors", PaceText(summary.pace));
  add("noise between repeats", NoiseText(summary.noise));
  page.Table(table);
}

base::Json ToJson(const ReportSummary& summary) {
  base::Json json{{"campaign", summary.campaign},
                  {"file", summary.file},
                  {"design", summary.design},
                  {"target", summary.target},
                  {"vary", summary.varied},
                  {"points",
                   {{"all", summary.points},
                    {"measured", summary.measured},
                    {"failed", summary.failed},
                    {"impossible", summary.impossible},
                    {"waiting", summary.waiting}}},
                  {"runs", summary.runs},
                  {"disturbed_runs", summary.disturbed},
                  {"failed_runs", summary.failed_runs},
                  {"seconds", summary.seconds}};
  json["machine"] = {{"cpus", NumberOrNull(summary.cpus)},
                     {"memory_bytes", NumberOrNull(summary.memory)}};
  json["lab"] = summary.lab.empty() ? base::Json() : base::Json(summary.lab);
  json["dilation"] = summary.dilation;
  json["noise"] = ToJson(summary.noise);
  json["pace"] = base::Json::array();
  for (const PaceEffect& effect : summary.pace) json["pace"].push_back(ToJson(effect));
  return json;
}

}  // namespace reckon::app
