#include "observe/stress/duty_cycle.h"

#include <algorithm>
#include <cmath>

namespace reckon::observe {

bool DutyCycle::Step(double elapsed_s) {
  phase_s_ = std::fmod(phase_s_ + elapsed_s, kPeriodS);
  return phase_s_ < share_ * kPeriodS;
}

double DutyCycle::PauseS() const {
  constexpr double kLeastPauseS = 0.001;
  const double off_at = share_ * kPeriodS;
  return std::max(kLeastPauseS, (phase_s_ < off_at ? off_at : kPeriodS) - phase_s_);
}

void DutyCycle::Learn(double measured) {
  if (kept_) return;
  share_ = std::clamp(share_ + kGain * (level_ - measured), kLeastShare, 1.0);
}

}  // namespace reckon::observe
