// Which rows a campaign validates on.
#pragma once

#include <string>
#include <vector>

#include "app/automl/campaign.h"
#include "app/run_splits.h"
#include "base/rng.h"

namespace reckon::app {

// Not for Validation::kAll, which holds nothing out. Columns of interpolation and extrapolation
// need not be inputs. The smallest and the largest value of a column always stay in training, which
// is said in `warnings` when the configuration would hold them out. kBadInput when a column is not
// there or no number, or when a part has no rows.
base::Result<ValidationMethod> CampaignMethod(const Campaign& campaign, const Prepared& prepared,
                                              base::Rng rng, std::vector<std::string>& warnings);

}  // namespace reckon::app
