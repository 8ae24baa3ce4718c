#include "observe/probes/spread_meter.h"

#include <algorithm>

namespace reckon::observe {

void SpreadMeter::Add(double value, double seconds) {
  if (!(seconds > 0)) return;
  if (parts_.size() == kMostValues) Halve();
  parts_.push_back({value, seconds});
}

void SpreadMeter::Halve() {
  for (size_t i = 0; i + 1 < parts_.size(); i += 2) {
    const Part& a = parts_[i];
    const Part& b = parts_[i + 1];
    const double seconds = a.seconds + b.seconds;
    parts_[i / 2] = {(a.value * a.seconds + b.value * b.seconds) / seconds, seconds};
  }
  parts_.resize(parts_.size() / 2);
}

double SpreadMeter::Mean() const {
  double sum = 0;
  double seconds = 0;
  for (const Part& part : parts_) {
    sum += part.value * part.seconds;
    seconds += part.seconds;
  }
  return seconds > 0 ? sum / seconds : 0;
}

double SpreadMeter::P95() const {
  std::vector<Part> ordered = parts_;
  std::sort(ordered.begin(), ordered.end(),
            [](const Part& a, const Part& b) { return a.value < b.value; });
  double all = 0;
  for (const Part& part : ordered) all += part.seconds;
  double passed = 0;
  for (const Part& part : ordered) {
    passed += part.seconds;
    if (passed >= 0.95 * all) return part.value;
  }
  return 0;
}

}  // namespace reckon::observe
