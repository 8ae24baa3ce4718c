// reckon report: a campaign's measurements as a page, with the tables and figures of the papers.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/context.h"
#include "app/report/law.h"
#include "app/report/nodes_section.h"
#include "app/report/scaling.h"
#include "app/report/stages.h"
#include "app/report/summary.h"
#include "app/report/workers.h"
#include "base/json.h"
#include "base/result.h"

namespace reckon::app {

struct ReportRequest {
  std::string campaign;
  std::string out = "report.html";    // NAME.md: Markdown
  std::vector<std::string> sections;  // empty: all that the data has
  ReportValidation validation;
};

// A section that is absent was not asked for, or the data does not have it.
struct ReportData {
  ReportSummary summary;
  std::optional<StagesSection> stages;
  std::optional<ScalingSection> scaling;
  std::optional<LawSection> law;
  std::optional<WorkersSection> workers;
  std::optional<NodesSection> nodes;
  std::vector<std::string> absent;  // asked for, but not in the data
  std::string out;
};

// The names of ReportRequest::sections.
const std::vector<std::string>& ReportSections();

// Writes the page whole or not at all. kNotFound: no such campaign. kBadInput: it has no samples, a
// section is unknown, or a validation cannot be.
base::Result<ReportData> MakeReport(const ReportRequest& request, const Context& context);

std::string ToHtml(const ReportData& report);
std::string ToMarkdown(const ReportData& report);
base::Json ToJson(const ReportData& report);

}  // namespace reckon::app
