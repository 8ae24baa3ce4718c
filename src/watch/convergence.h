// How accuracy grows with epochs, learned while a training runs: what it will come to, when it
// reaches a goal, and whether going on is worth it.
//
//   accuracy(k) = A - b f(k),  f(k) = 1 / (k + r)   (Peng et al., Optimus, EuroSys 2018)
//                              f(k) = k^-c
//                              f(k) = exp(-k / t)
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"

namespace reckon::watch {

struct EpochAccuracy {
  double epoch = 0;  // 1 is the first
  double accuracy = 0;
};

// A value with its 90 % interval.
struct Likely {
  double median = 0;
  double lower = 0;
  double upper = 0;
};

// All three laws with many values of r, c and t, each as likely as it explains what was seen: few
// epochs do not tell which law holds, and they differ in what they promise. Plain values.
class ConvergenceCurve {
 public:
  static constexpr size_t kFewest = 3;  // epochs

  // kBadInput: fewer epochs, or accuracies that are not from 0 to 1.
  static base::Result<ConvergenceCurve> Fit(std::span<const EpochAccuracy> seen);

  // Of the curve, without the noise of a single validation.
  Likely At(double epoch) const;
  // The first epoch of at most `most` at which the curve is at `accuracy`; the ends may be `most`.
  // nullopt: it more likely never is.
  std::optional<Likely> EpochsTo(double accuracy, double most) const;
  // That the curve grows by more than `gain` between two epochs.
  double ChanceOfGain(double from, double to, double gain) const;
  // The law that holds most likely: "optimus", "power" or "exponential".
  std::string law() const;

 private:
  enum class Law { kOptimus, kPower, kExponential };
  struct Hypothesis {
    Law law = Law::kOptimus;
    double shape = 1;  // r, c or t
    double weight = 0;
    double limit = 0;   // A
    double height = 0;  // b
    // Covariance of both.
    double limit_variance = 0;
    double height_variance = 0;
    double both = 0;

    double Mean(double epoch) const;
    double Variance(double epoch) const;
  };
  static double Shape(Law law, double shape, double epoch);
  static const char* Name(Law law);
  // That the curve is at most `accuracy`.
  double Below(double epoch, double accuracy) const;

  std::vector<Hypothesis> hypotheses_;
};

struct StopWish {
  std::optional<double> target;  // accuracy
  double epochs = 0;             // that were asked for
  double least_gain = 0.005;     // what is worth going on for
  double confidence = 0.95;
  double least_epochs = 4;  // before which no plateau is seen
};

enum class StopAdvice { kGoOn, kTargetReached, kPlateau };

struct StopReport {
  StopAdvice advice = StopAdvice::kGoOn;
  std::string why;                 // one sentence; empty while nothing can be said
  std::optional<Likely> epochs;    // in all, until the target or until nothing is gained any more
  std::optional<Likely> accuracy;  // at the end of what was asked for
};

StopReport AdviseStop(std::span<const EpochAccuracy> seen, const StopWish& wish);

}  // namespace reckon::watch
