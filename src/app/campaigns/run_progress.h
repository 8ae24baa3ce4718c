// The progress of one run, shown as part of its campaign's.
#pragma once

#include <optional>
#include <string_view>

#include "app/campaigns/profile.h"
#include "base/progress.h"
#include "spec/campaign_file.h"

namespace reckon::app {

class RunProgress final : public base::Progress {
 public:
  RunProgress(base::Progress& shown, const CampaignReport& report, const spec::CampaignFile& file);

  void Begin(std::string_view, uint64_t) override {}
  void Advance(uint64_t) override {}
  void Tell(const base::ProgressState& state) override;
  void End() override { shown_.End(); }

 private:
  base::Progress& shown_;
  double done_ = 0;               // runs
  double total_ = 0;              // runs that the campaign takes; 0: unknown
  double usual_s_ = 0;            // a run; 0: unknown
  std::optional<double> left_s_;  // of the campaign's limit, when the run began
};

}  // namespace reckon::app
