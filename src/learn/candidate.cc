#include "learn/candidate.h"

#include <fmt/format.h>

#include "base/units.h"
#include "learn/features/feature_text.h"

namespace reckon::learn {

const char* TargetScaleName(TargetScale scale) {
  return scale == TargetScale::kLinear ? "linear" : "log";
}

base::Result<TargetScale> ParseTargetScale(const std::string& name) {
  if (name == "linear") return TargetScale::kLinear;
  if (name == "log") return TargetScale::kLog;
  return base::BadInput(fmt::format("unknown scale '{}'; expected linear or log", name));
}

Vector ToScale(const Vector& y, TargetScale scale) {
  return scale == TargetScale::kLog ? Vector(y.array().log()) : y;
}

double SettingOf(const Settings& settings, const std::string& name) {
  const auto found = settings.find(name);
  return found == settings.end() ? 0 : found->second;
}

std::string Candidate::Describe() const {
  std::string text = fmt::format("{} target", TargetScaleName(scale));
  const std::string forms = FeatureOptionsName(features);
  if (!forms.empty()) text += ", " + forms;
  for (const auto& [name, word] : words) text += fmt::format(", {}={}", name, word);
  for (const auto& [name, value] : settings) {
    text += fmt::format(", {}={}", name, base::FormatNumber(value));
  }
  return text;
}

}  // namespace reckon::learn
