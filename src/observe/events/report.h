// What a rank of a run tells about itself, as it arrives: see docs/reporting.md for the protocol.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "base/json.h"
#include "base/result.h"

namespace reckon::observe {

struct Report {
  int64_t rank = 0;
  std::string role;  // "worker", "ps"
  // Which report of which process this is, so that one which comes twice is known again: later
  // reports of a sender have higher numbers. Sender "": it did not say.
  std::string sender;
  uint64_t sequence = 0;
  // Objects with "kind" (a word without dots: those with dots are not for ranks to say) and "at"
  // (seconds since 1970). Events of the kinds in docs/reporting.md have the fields written there,
  // with the right types; others are as they came.
  std::vector<base::Json> events;
};

// Everything or nothing: kBadInput names the first field that is wrong. `received` is the time of
// events that came without one, in the shape of Kubeflow Trainer. Keeps nothing of `body`.
base::Result<Report> ParseReport(std::string_view body, base::WallTime received);

// Seconds since 1970, as events have them.
double EventTime(base::WallTime time);

}  // namespace reckon::observe
