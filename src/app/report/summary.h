// The head of a report: what was measured, where, and how well.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/campaigns/repeat_noise.h"
#include "app/report/page.h"
#include "app/report/samples.h"

namespace reckon::app {

struct ReportSummary {
  std::string campaign;
  std::string file;
  std::string design;
  std::string target;
  std::vector<std::string> varied;
  size_t points = 0;
  size_t measured = 0;    // points
  size_t failed = 0;      // points of which no run succeeded
  size_t impossible = 0;  // points that no host could run
  size_t waiting = 0;     // points not measured yet
  size_t runs = 0;        // that measured, disturbed ones included
  size_t disturbed = 0;
  size_t failed_runs = 0;
  double seconds = 0;            // of all runs
  std::optional<double> cpus;    // of the machine
  std::optional<double> memory;  // bytes
  std::string lab;               // empty: on the machine itself
  double dilation = 1;
  RepeatNoise noise;  // of the target, at the usual pace of processors where that is known
  std::vector<PaceEffect> pace;
};

ReportSummary MakeSummary(const CampaignSamples& samples);
void AddSummary(const ReportSummary& summary, Page& page);
base::Json ToJson(const ReportSummary& summary);

}  // namespace reckon::app
