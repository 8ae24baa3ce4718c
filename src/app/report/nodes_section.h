// What load does to hosts that train, and training to hosts under load.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/report/figure.h"
#include "app/report/samples.h"

namespace reckon::app {

// How well one function of one type of node is estimated, on rows held out.
struct EstimatorError {
  std::string node_type;
  std::string function;
  size_t training_rows = 0;
  size_t test_rows = 0;
  double mape_percent = 0;
  double deviation_percent = 0;  // of the absolute percentage errors
};

struct NodesSection {
  std::vector<ReportFigure> figures;
  std::vector<EstimatorError> estimators;  // none: no table of them
};

// None: no host was observed.
std::optional<NodesSection> MakeNodes(const CampaignSamples& samples,
                                      std::vector<EstimatorError> estimators);
void AddNodes(const NodesSection& section, HtmlPage& page);
base::Json ToJson(const NodesSection& section);

}  // namespace reckon::app
