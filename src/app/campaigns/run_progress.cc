#include "app/campaigns/run_progress.h"

#include <algorithm>

#include <fmt/format.h>

#include "app/campaigns/standing.h"

namespace reckon::app {

RunProgress::RunProgress(base::Progress& shown, const CampaignReport& report,
                         const spec::CampaignFile& file)
    : shown_(shown) {
  double least = 0;
  for (const PointReport& point : report.points) {
    if (point.state == "impossible" || point.state == "failed") continue;
    const auto measured = static_cast<double>(StandingOf(point.attempts).measured);
    const double wanted =
        point.state == "measured"
            ? measured
            : std::max<double>(static_cast<double>(file.least_repeats), measured + 1);
    done_ += measured;
    least += wanted;
  }
  total_ = least;
  if (report.runs > 0) usual_s_ = report.seconds / static_cast<double>(report.runs);
}

void RunProgress::Tell(const base::ProgressState& state) {
  const std::string what = fmt::format("run {:.0f} of {:.0f}: {}", done_ + 1, total_, state.what);
  base::ProgressState whole{what, state.elapsed_s, {}, {}};
  whole.share = std::min(1.0, (done_ + state.share.value_or(0)) / std::max(1.0, total_));
  const double left = std::max(0.0, total_ - done_ - 1);
  if (usual_s_ > 0) {
    const double own =
        state.remaining_s ? *state.remaining_s : std::max(0.0, usual_s_ - state.elapsed_s);
    whole.remaining_s = own + left * usual_s_;
  }
  shown_.Tell(whole);
}

}  // namespace reckon::app
