#include "observe/stress/rate_control.h"

#include <algorithm>

namespace reckon::observe {
namespace {

constexpr double kMostCreditS = 0.5;
// Looking more often costs more than it helps; looking less often lets others' changes show, of
// which there are few while the work pauses.
constexpr double kLeastPauseS = 0.001;
constexpr double kMostRunS = 0.02;
constexpr double kMostPauseS = 0.05;
constexpr double kForgetSpeed = 0.9;  // a look

}  // namespace

RateControl::RateControl(double rate, double slice) : rate_(rate), slice_(slice), speed_(rate) {}

bool RateControl::Step(double elapsed_s, double used) {
  const double most = std::max(rate_ * kMostCreditS, slice_);
  credit_ = std::clamp(credit_ + rate_ * elapsed_s - used, -most, most);
  if (running_ && elapsed_s > 0) speed_ = std::max(speed_ * kForgetSpeed, used / elapsed_s);
  if (credit_ >= slice_ / 2) running_ = true;
  if (credit_ <= -slice_ / 2) running_ = false;
  return running_;
}

double RateControl::PauseS() const {
  // Running uses up credit at the speed of the work less what comes in.
  const double losing = std::max(speed_ - rate_, rate_ * 0.01);
  const double pause = running_ ? (credit_ + slice_ / 2) / losing : (slice_ / 2 - credit_) / rate_;
  return std::clamp(pause, kLeastPauseS, running_ ? kMostRunS : kMostPauseS);
}

}  // namespace reckon::observe
