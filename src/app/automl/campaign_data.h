// The rows of a campaign, prepared as its configuration says.
#pragma once

#include <string>
#include <vector>

#include "app/automl/campaign.h"
#include "app/context.h"
#include "app/learning.h"

namespace reckon::app {

// Reads the table of `campaign` (its path begins in the working folder or, where there is no such
// file, in the folder of `configuration_file`), renames columns, leaves rows and columns out. The
// search of the outcome has no candidates yet. kBadInput and kNotFound as the messages say.
base::Result<Prepared> PrepareCampaign(const Campaign& campaign,
                                       const std::string& configuration_file,
                                       const Context& context, std::vector<std::string>& warnings);

// What [DataPreparation] and [FeatureSelection] make of the columns. kBadInput when a named column
// cannot be inverted or has no logarithm.
base::Result<learn::FeatureOptions> CampaignFeatures(const Campaign& campaign,
                                                     const learn::Dataset& data);

}  // namespace reckon::app
