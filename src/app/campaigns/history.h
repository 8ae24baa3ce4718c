// What the runs of a campaign have come to, point by point.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/context.h"
#include "app/runs/runs.h"
#include "base/result.h"
#include "core/run.h"
#include "store/store.h"

namespace reckon::app {

enum class Outcome {
  kMeasured,
  kNoisy,  // disturbed: measured while others kept the machine busy
  kFailed,
  kVoid,  // stopped, or its supervisor died: as if it had never been
};

const char* OutcomeName(Outcome outcome);

// One run of a point.
struct Attempt {
  int64_t run = 0;
  Outcome outcome = Outcome::kVoid;
  double value = 0;           // of the campaign's target, when measured or disturbed
  double seconds = 0;         // that the run took in all; 0 of a void one
  std::string reason;         // why it failed
  double price_per_hour = 0;  // of its hosts when it was made; 0: not known
  double pace_us = 0;         // of the machine's processors; 0: not known
};

struct History {
  std::map<std::string, std::vector<Attempt>> by_point;  // by the point's key, oldest first
  std::vector<int64_t> at_work;                          // runs that have not ended
};

// All runs of the campaign; those that ended unseen are brought up to date first.
base::Result<History> LoadHistory(store::Store& store, const core::Campaign& campaign,
                                  const std::string& target, const Context& context);

// What a run that has ended came to.
base::Result<Attempt> AttemptOf(const RunReport& report, const std::string& target);

}  // namespace reckon::app
