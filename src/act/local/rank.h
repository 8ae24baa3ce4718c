// One process of a run over all its lives, as the supervisor sees it.
#pragma once

#include <memory>
#include <optional>

#include "act/local/kept_process.h"
#include "base/clock.h"

namespace reckon::act {

struct Rank {
  const ProcessSpec* spec = nullptr;
  bool setup = false;  // the script before the ranks, not a rank
  std::unique_ptr<KeptProcess> kept;
  bool started = false;  // in this life
  base::MonotonicTime started_at;
  std::optional<ProcessEnd> end;  // of this life
  int64_t restarts = 0;
  observe::TreeUsage usage;
  base::MonotonicTime usage_written;

  bool Lives() const { return kept != nullptr && !kept->gone(); }
  bool Worker() const { return !setup && spec->role == kWorkerRole; }
  bool Background() const { return !setup && spec->role == kBackgroundRole; }
};

}  // namespace reckon::act
