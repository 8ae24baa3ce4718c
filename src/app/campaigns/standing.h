// How a point of a campaign stands, by what its runs came to.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "app/campaigns/history.h"
#include "spec/campaign_file.h"

namespace reckon::app {

struct Standing {
  size_t measured = 0;  // undisturbed
  size_t disturbed = 0;
  size_t failed = 0;
  std::optional<double> mean;           // of the undisturbed ones, else of the disturbed
  std::optional<double> error_of_mean;  // standard error as a share of the mean; of one: unknown
  std::vector<int64_t> outliers;        // runs
};

Standing StandingOf(const std::vector<Attempt>& attempts);

// Whether another run of the point is wanted: repeats until the mean is known, disturbed ones
// again, failures a few times; once more than the file says for the others where it is `again`.
bool WantsMore(const Standing& standing, const spec::CampaignFile& file, bool again = false);

// Indices of values that are far from the rest: beyond 3.5 times the scaled median deviation, and
// by more than a twentieth. Of fewer than four values nobody can tell.
std::vector<size_t> FarOff(const std::vector<double>& values);

}  // namespace reckon::app
