// When a run that is at work will be done, by what it has done so far.
#pragma once

#include <optional>

#include "app/runs/accuracy_watch.h"
#include "app/runs/run_view.h"
#include "base/json.h"

namespace reckon::app {

// Seconds from now, with an interval that should hold nine of ten.
struct Eta {
  double remaining_s = 0;
  double lower_s = 0;
  double upper_s = 0;
  double epoch_s = 0;       // that an epoch takes, with its validation; 0: nobody has told
  double epoch_left_s = 0;  // of the one that it is in
};

// By its epochs where it tells them: how long they took, how much that varied, and how many are
// left; of a job that may end early, how many are likely worth it. Otherwise by its progress.
// nullopt: it has told neither, or has ended. `job` as the store keeps it; `now`: seconds since
// 1970.
std::optional<Eta> EtaOf(const base::Json& job, const RunView& view, double now);

base::Json ToJson(const Eta& eta);

}  // namespace reckon::app
