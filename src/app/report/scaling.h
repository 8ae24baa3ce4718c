// Mean times of the stages over what was varied.
#pragma once

#include <optional>
#include <vector>

#include "app/report/figure.h"
#include "app/report/samples.h"

namespace reckon::app {

struct ScalingSection {
  std::vector<ReportFigure> figures;
  std::vector<std::string> notes;
};

// None: nothing that times could be drawn over was varied.
std::optional<ScalingSection> MakeScaling(const CampaignSamples& samples);
void AddScaling(const ScalingSection& section, Page& page);
base::Json ToJson(const ScalingSection& section);

}  // namespace reckon::app
