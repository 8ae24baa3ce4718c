// Deterministic parallel work: item i writes only to slot i, so the result is the same for any
// number of threads.
#pragma once

#include <cstddef>
#include <functional>
#include <stop_token>

#include "base/result.h"

namespace reckon::base {

// Calls work(i) for every i in [0, count) on up to `jobs` threads (>= 1) and waits for all of them.
// Returns the error of the smallest i that failed, or kInterrupted when `stop` was requested before
// everything was done. Items not yet begun are left out after a failure or a stop.
Status ParallelFor(size_t count, size_t jobs, const std::stop_token& stop,
                   const std::function<Status(size_t)>& work);

}  // namespace reckon::base
