// How forecasts of runs have turned out, and whether their model still describes what happens.
#pragma once

#include <optional>
#include <span>
#include <string>

namespace reckon::watch {

// A forecast and what then happened, in the same unit. All are positive and finite, and
// lower <= predicted <= upper.
struct Outcome {
  double predicted = 0;
  double lower = 0;
  double upper = 0;
  double actual = 0;
};

struct CalibrationPolicy {
  double level = 0.9;  // that intervals promise to hold
  size_t least = 5;    // outcomes before anything is said of drift
  size_t window = 20;  // the newest that drift is judged by
  // Of a model that is right, so many judgements are wrong ones.
  double false_alarm = 0.001;
};

struct Calibration {
  size_t runs = 0;
  double mape_percent = 0;
  double bias = 1;     // median of actual / predicted
  double covered = 0;  // share within their interval
  bool drifted = false;
  std::string why;  // it drifted, in words; empty: it did not
};

// Oldest first; nullopt: there are none.
//
// Drift is judged by the newest outcomes in two ways, each at half the false alarms. Offsets
// z = ln(actual / predicted) / s, where the interval makes s (its half width on that side over the
// normal quantile of its level): their mean times sqrt(n) is standard normal for a model that is
// right, so a steady bias shows long before anything leaves an interval. And the number within
// their interval is binomial, which shows outcomes that scatter more than was said.
std::optional<Calibration> Calibrate(std::span<const Outcome> outcomes,
                                     const CalibrationPolicy& policy = {});

// Where the present level of actual / predicted begins: the index of its first outcome, 0 when it
// has been the same all along. Levels are at least two outcomes long; a change is one when medians
// of the logarithms before and after it are further apart than chance makes them.
size_t PresentLevelBegins(std::span<const Outcome> outcomes);

}  // namespace reckon::watch
