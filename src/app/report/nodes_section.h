// What load does to hosts that train, and training to hosts under load.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/estimators/estimators.h"
#include "app/report/figure.h"
#include "app/report/samples.h"

namespace reckon::app {

struct NodesSection {
  std::vector<ReportFigure> figures;
  std::vector<EstimatorRow> estimators;  // none: no table of them
};

// None: no host was observed.
std::optional<NodesSection> MakeNodes(const CampaignSamples& samples,
                                      std::vector<EstimatorRow> estimators);
void AddNodes(const NodesSection& section, Page& page);
base::Json ToJson(const NodesSection& section);

}  // namespace reckon::app
