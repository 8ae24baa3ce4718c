// Which point of a campaign is measured next, and when there is enough.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/campaigns/profile.h"
#include "base/json.h"
#include "base/result.h"
#include "spec/campaign_file.h"

namespace reckon::app {

class NextPoint {
 public:
  virtual ~NextPoint() = default;
  // The index of a point, or none when there is no more to do.
  virtual base::Result<std::optional<size_t>> Choose(const CampaignReport& report) = 0;
  // Once Choose gave none, in words.
  virtual std::string why_ended() const = 0;
};

// Whether a point is not measured yet, and can be.
bool WantsRun(const PointReport& point);

// By the file's design. `plans`: of the points, null where one is impossible. The file outlives it.
base::Result<std::unique_ptr<NextPoint>> MakeNextPoint(const spec::CampaignFile& file,
                                                       const std::vector<PointReport>& points,
                                                       const std::vector<base::Json>& plans);

}  // namespace reckon::app
