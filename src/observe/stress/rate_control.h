// Holds a rate (of CPU time, of bytes) by letting work run and pause.
#pragma once

namespace reckon::observe {

// Counts what the rate allows as credit and what was used against it: work runs while there is
// credit, so that the mean is right whatever the work's own speed is. This is the integral of the
// error, and the switch is all it drives. The credit is bounded: work that was kept from its rate
// for long, by others or by a limit, makes up for half a second and not for all of it. Pure.
class RateControl {
 public:
  // `rate` above 0, a second. `slice`: how much is used at a stretch; half of it is how far the
  // use is ahead or behind when the switch turns.
  RateControl(double rate, double slice);

  // What happened in the last `elapsed_s`. Returns whether the work shall run from now on.
  bool Step(double elapsed_s, double used);
  // After how many seconds the switch wants to turn, at the speed seen so far.
  double PauseS() const;

 private:
  const double rate_;
  const double slice_;
  double credit_ = 0;
  double speed_;  // of the work while it runs, a second
  bool running_ = false;
};

}  // namespace reckon::observe
