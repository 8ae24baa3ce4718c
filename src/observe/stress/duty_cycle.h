// Holds the use of something that is only measured as a mean over a while, and together with what
// others use of it: a GPU.
#pragma once

namespace reckon::observe {

// Work runs for a share of every period. The share is learnt from what is measured while the work
// is alone, and kept from then on: beside others the measured use is no longer its own. Pure.
class DutyCycle {
 public:
  // `level`: 0 to 1, above 0.
  explicit DutyCycle(double level) : level_(level), share_(level) {}

  // `elapsed_s` have passed. Returns whether the work shall run from now on.
  bool Step(double elapsed_s);
  // Until the switch turns.
  double PauseS() const;
  // The mean use over the last second or so.
  void Learn(double measured);
  void Keep() { kept_ = true; }

  double share() const { return share_; }

 private:
  static constexpr double kPeriodS = 0.2;
  static constexpr double kLeastShare = 0.01;
  static constexpr double kGain = 0.5;  // of the error; 1 and more would swing with late readings

  const double level_;
  double share_;
  double phase_s_ = 0;
  bool kept_ = false;
};

}  // namespace reckon::observe
