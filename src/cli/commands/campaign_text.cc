#include "cli/commands/campaign_text.h"

#include <algorithm>
#include <cstdio>
#include <map>

#include <fmt/format.h>

#include "base/text.h"
#include "base/units.h"
#include "cli/text_table.h"

namespace reckon::cli {
namespace {

using Align = TextTable::Align;

std::string ValueText(const std::string& target, double value) {
  return target.ends_with("_s") ? base::FormatDuration(value) : base::FormatNumber(value);
}

size_t CountOf(const app::PointReport& point, app::Outcome outcome) {
  return static_cast<size_t>(
      std::count_if(point.attempts.begin(), point.attempts.end(),
                    [&](const app::Attempt& attempt) { return attempt.outcome == outcome; }));
}

// What can be read at once; every point is in --json and in the samples.
constexpr size_t kMostRows = 60;

std::string PointTable(const app::CampaignReport& report) {
  TextTable table;
  size_t rows = 0;
  table.AddColumn("point", Align::kLeft);
  table.AddColumn("state", Align::kLeft);
  table.AddColumn("runs", Align::kRight);
  table.AddColumn(report.target, Align::kRight);
  table.AddColumn("+-", Align::kRight);
  for (const app::PointReport& point : report.points) {
    if (point.state == "impossible" || ++rows > kMostRows) continue;
    const size_t disturbed = CountOf(point, app::Outcome::kNoisy);
    const size_t measured = CountOf(point, app::Outcome::kMeasured);
    table.AddRow({app::ValuesText(point.point), point.state,
                  disturbed == 0 ? std::to_string(measured)
                                 : fmt::format("{} + {} disturbed", measured, disturbed),
                  point.mean ? ValueText(report.target, *point.mean) : "",
                  point.error_of_mean ? fmt::format("{:.1f} %", 100 * *point.error_of_mean) : ""});
  }
  if (rows <= kMostRows) return table.Render();
  return table.Render() +
         fmt::format("and {}; --json tells all\n", base::Count(rows - kMostRows, "more point"));
}

constexpr size_t kMostNames = 12;

// The same reason is said once, with the points it has met.
std::string Problems(const app::CampaignReport& report, const std::string& state) {
  std::map<std::string, std::vector<std::string>> by_reason;
  for (const app::PointReport& point : report.points) {
    if (point.state == state) by_reason[point.problem].push_back(app::ValuesText(point.point));
  }
  std::string text;
  for (const auto& [reason, points] : by_reason) {
    text += fmt::format("{} {}: {}: {}\n", base::Count(points.size(), "point"), state,
                        base::FirstOf(points, kMostNames), reason);
  }
  return text;
}

std::string Outliers(const app::CampaignReport& report) {
  std::string text;
  for (const app::PointReport& point : report.points) {
    for (const int64_t run : point.outliers) {
      text += fmt::format("outlier, kept: run {} of {}\n", run, app::ValuesText(point.point));
    }
  }
  return text;
}

}  // namespace

std::string AttemptLine(const app::CampaignReport& report, const app::PointReport& point,
                        const app::Attempt& attempt) {
  const auto measured = static_cast<size_t>(
      std::count_if(report.points.begin(), report.points.end(),
                    [](const app::PointReport& one) { return one.state == "measured"; }));
  std::string line = fmt::format("{:>4} of {}  {}  ", measured, report.points.size(),
                                 app::ValuesText(point.point));
  if (attempt.outcome == app::Outcome::kMeasured || attempt.outcome == app::Outcome::kNoisy) {
    line += fmt::format("{} {}", report.target, ValueText(report.target, attempt.value));
    if (attempt.outcome == app::Outcome::kNoisy) {
      line += point.state == "measured" ? "  disturbed" : "  disturbed, measured again";
    }
  } else {
    line += fmt::format("{}: {}", app::OutcomeName(attempt.outcome), attempt.reason);
  }
  return line + fmt::format("  run {}\n", attempt.run);
}

app::OnAttempt PrintAttempts() {
  return [](const auto& report, const auto& point, const auto& attempt) {
    fmt::print("{}", AttemptLine(report, point, attempt));
    std::fflush(stdout);
  };
}

std::string CampaignText(const app::CampaignReport& report) {
  std::string text = PointTable(report) + "\n";
  text += Problems(report, "failed") + Problems(report, "impossible") + Outliers(report);
  text += fmt::format("campaign '{}': {}; {} in {}", report.campaign.name, report.ended,
                      base::Count(report.runs, "run"), base::FormatDuration(report.seconds));
  if (report.cost > 0) text += fmt::format(", cost {}", base::FormatNumber(report.cost));
  const std::string& name = report.campaign.name;
  return text + fmt::format("\nsamples: {}.runs, {}.epochs, {}.nodes\n", name, name, name);
}

}  // namespace reckon::cli
