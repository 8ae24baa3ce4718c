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
            : std::max<double>(static_cast<double>(file.least_repeats + (point.again ? 1 : 0)),
                               measured + 1);
    done_ += measured;
    least += wanted;
  }
  // How many `optimal` will want nobody knows.
  if (file.design != "optimal") total_ = least;
  if (file.max_time_s) left_s_ = std::max(0.0, *file.max_time_s - report.seconds);
  if (report.runs > 0) usual_s_ = report.seconds / static_cast<double>(report.runs);
}

void RunProgress::Tell(const base::ProgressState& state) {
  const std::string of = total_ > 0 ? fmt::format(" of {:.0f}", total_) : "";
  const std::string what = fmt::format("run {:.0f}{}: {}", done_ + 1, of, state.what);
  base::ProgressState whole{what, state.elapsed_s, {}, {}};
  if (total_ > 0) whole.share = std::min(1.0, (done_ + state.share.value_or(0)) / total_);
  const double left = std::max(0.0, total_ - done_ - 1);
  if (usual_s_ > 0 && total_ > 0) {
    const double own =
        state.remaining_s ? *state.remaining_s : std::max(0.0, usual_s_ - state.elapsed_s);
    whole.remaining_s = own + left * usual_s_;
  }
  if (left_s_) {
    const double until = std::max(0.0, *left_s_ - state.elapsed_s);
    whole.remaining_s = std::min(whole.remaining_s.value_or(until), until);
  }
  shown_.Tell(whole);
}

}  // namespace reckon::app
