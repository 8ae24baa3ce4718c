// What profile prints of a campaign.
#pragma once

#include <string>

#include "app/campaigns/profile.h"

namespace reckon::cli {

// "  12 of 48  workers=2 batch=64  training_loop_s 3.21 s  run 17".
std::string AttemptLine(const app::CampaignReport& report, const app::PointReport& point,
                        const app::Attempt& attempt);

// Prints them while the campaign goes on.
app::OnAttempt PrintAttempts();

// A row a point, then what failed, what is doubtful, and what it all took.
std::string CampaignText(const app::CampaignReport& report);

}  // namespace reckon::cli
