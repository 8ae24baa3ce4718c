// A Candidate: one way to make a model, complete enough to make it again.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "learn/features/augment.h"

namespace reckon::learn {

// What a technique fits: the target itself, or its logarithm (errors then count relatively, and
// terms multiply instead of adding up).
enum class TargetScale { kLinear, kLog };

const char* TargetScaleName(TargetScale scale);
base::Result<TargetScale> ParseTargetScale(const std::string& name);
Vector ToScale(const Vector& y, TargetScale scale);

using Settings = std::map<std::string, double>;

// 0 where there is none of that name.
double SettingOf(const Settings& settings, const std::string& name);

struct Candidate {
  std::string technique;
  TargetScale scale = TargetScale::kLinear;
  FeatureOptions features;
  Settings settings;                              // the technique's own: "alpha", "max_depth"
  std::map<std::string, std::string> words = {};  // likewise: "criterion" -> "mae"

  // "log time, raw+log, alpha=0.01".
  std::string Describe() const;
};

// Candidates that differ in settings only, so that a technique can share work among them.
using CandidateGroup = std::vector<Candidate>;

}  // namespace reckon::learn
