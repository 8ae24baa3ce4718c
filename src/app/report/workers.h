// Training time, and its cost, by workers: one thing varied along each line.
#pragma once

#include <optional>
#include <vector>

#include "app/report/figure.h"
#include "app/report/samples.h"

namespace reckon::app {

struct WorkersSection {
  std::vector<ReportFigure> figures;
  std::vector<std::string> notes;
};

// None: the number of workers was not varied.
std::optional<WorkersSection> MakeWorkers(const CampaignSamples& samples);
void AddWorkers(const WorkersSection& section, Page& page);
base::Json ToJson(const WorkersSection& section);

}  // namespace reckon::app
