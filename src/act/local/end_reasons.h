// Why processes of a run have ended, in words.
#pragma once

#include <string>

#include "act/local/rank.h"
#include "act/local/report_door.h"
#include "act/local/run_folder.h"
#include "base/clock.h"

namespace reckon::act {

class EndReasons {
 public:
  // All outlive it.
  EndReasons(const ReportDoor& door, const RunFolder& folder, const base::Clock& clock)
      : door_(door), folder_(folder), clock_(clock) {}

  // Of a rank that has ended: how, and what it said last.
  std::string WhyEnded(const Rank& rank) const;
  // Of one whose end fails the run. One that says nothing itself may have ended because another one
  // did, which has told why just before and is not yet gone: a worker whose server hangs leaves the
  // other servers.
  std::string WhyFailed(const Rank& rank) const;

 private:
  const ReportDoor& door_;
  const RunFolder& folder_;
  const base::Clock& clock_;
};

}  // namespace reckon::act
