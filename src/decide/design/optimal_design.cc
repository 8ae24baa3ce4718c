#include "decide/design/optimal_design.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "base/text.h"
#include "decide/design/cover.h"
#include "decide/design/space.h"
#include "decide/design/surrogate.h"
#include "learn/thin_rows.h"

namespace reckon::decide {
namespace {

using Index = Eigen::Index;

constexpr double kMostDoubt = 2;  // of log time, in what an unsure forecast adds to expected time
// Deviations by which times may be longer than expected, at the start: what is known then is no
// protection from a corner that takes longer than all the rest together.
constexpr double kCaution = 2;
// A time so many deviations from what all others tell is measured again at once: one bad moment of
// the machine would mislead every later choice. Of few others nobody can tell.
constexpr double kSurprise = 3;
constexpr size_t kLeastToBeSurprised = 8;

std::vector<size_t> Pick(const std::vector<size_t>& rows, const std::vector<size_t>& places) {
  std::vector<size_t> picked;
  for (const size_t place : places) picked.push_back(rows[place]);
  return picked;
}

// Before anything was measured: work grows with the data and is shared by the workers.
Vector FirstGuess(const Space& space, const std::vector<size_t>& rows) {
  Vector guess = Vector::Zero(static_cast<Index>(rows.size()));
  const auto add = [&](const std::optional<size_t>& column, double power) {
    if (!column) return;
    for (size_t i = 0; i < rows.size(); ++i) {
      guess(static_cast<Index>(i)) += power * std::log(space.inputs.x(static_cast<Index>(rows[i]),
                                                                      static_cast<Index>(*column)));
    }
  };
  add(space.roles.size, 1);
  add(space.roles.workers, -1);
  return guess;
}

// Log of the time that measuring each row should take: the mean of a log-normal.
Vector LogTimes(const DesignProblem& problem, const Space& space, const Surrogate::View& view) {
  if (problem.measured.empty()) return FirstGuess(space, view.rows);
  return view.log_took + 0.5 * view.variance.cwiseMin(kMostDoubt);
}

// Log of what each row should cost: its time, times the price of a second.
Vector LogCosts(const DesignProblem& problem, const std::vector<size_t>& rows, Vector log_times) {
  if (problem.price_per_hour.empty()) return log_times;
  for (size_t i = 0; i < rows.size(); ++i) {
    log_times(static_cast<Index>(i)) += std::log(problem.price_per_hour[rows[i]] / 3600);
  }
  return log_times;
}

Vector LogGains(Criterion criterion, const Surrogate& surrogate, const Surrogate::View& open,
                const Surrogate::View& reference) {
  const double noise = surrogate.kernel().noise;
  if (criterion == Criterion::kD) return (1 + open.variance.array() / noise).log().log();
  const Vector explained = surrogate.Covariance(open, reference).rowwise().squaredNorm();
  return (explained.array() / (open.variance.array() + noise)).log();
}

Vector LogCounts(const std::vector<size_t>& counts) {
  Vector logs(static_cast<Index>(counts.size()));
  for (size_t i = 0; i < counts.size(); ++i) {
    logs(static_cast<Index>(i)) = std::log(static_cast<double>(counts[i]));
  }
  return logs;
}

// Takes away the scores of what should not fit into what is left.
void LeaveOutTooLong(const DesignProblem& problem, const Vector& log_times, const Vector& log_costs,
                     Vector& scores) {
  for (Index i = 0; i < scores.size() && !problem.measured.empty(); ++i) {
    const bool fits = (!problem.time_left_s || std::exp(log_times(i)) <= *problem.time_left_s) &&
                      (!problem.cost_left || std::exp(log_costs(i)) <= *problem.cost_left);
    if (!fits) scores(i) = -std::numeric_limits<double>::infinity();
  }
}

// Whether what was measured last can be measured once more, `times` times until now.
bool MayBeRepeated(const DesignProblem& problem, size_t times) {
  const Measurement& last = problem.measured.back();
  const double took_s = last.took_s > 0 ? last.took_s : last.seconds;
  const double price = problem.price_per_hour.empty() ? 0 : problem.price_per_hour[last.row];
  const bool fits = (!problem.time_left_s || took_s <= *problem.time_left_s) &&
                    (!problem.cost_left || took_s / 3600 * price <= *problem.cost_left);
  return fits && times < problem.repeats &&
         std::find(problem.excluded.begin(), problem.excluded.end(), last.row) ==
             problem.excluded.end();
}

// Whether the row measured last is not to be believed yet: its only time is a surprise to whoever
// knows all others, or the second one is another than the first. A third decides, as the middle
// one.
base::Result<bool> IsDoubtful(const DesignProblem& problem, const Space& space,
                              KernelCache& kernels) {
  if (problem.measured.size() <= kLeastToBeSurprised) return false;
  const size_t row = problem.measured.back().row;
  std::vector<double> times;
  std::vector<Measurement> others;
  for (const Measurement& measurement : problem.measured) {
    if (measurement.row == row) {
      times.push_back(std::log(measurement.seconds));
    } else {
      others.push_back(measurement);
    }
  }
  if (times.size() > 2 || !MayBeRepeated(problem, times.size())) return false;
  Observed observed = Collect(others);
  if (observed.rows.size() < kLeastToBeSurprised) return false;
  RECKON_ASSIGN(const Surrogate surrogate,
                Surrogate::Condition(space, kernels.For(space, others), std::move(observed)));
  const double noise = surrogate.kernel().noise;
  if (times.size() == 2) return std::abs(times[0] - times[1]) > kSurprise * std::sqrt(2 * noise);
  const Surrogate::View view = surrogate.Look({row});
  return std::abs(times[0] - view.log_seconds(0)) > kSurprise * std::sqrt(view.variance(0) + noise);
}

}  // namespace

base::Result<std::optional<DesignChoice>> OptimalDesign::Next(const DesignProblem& problem) {
  RECKON_TRY(CheckProblem(problem));
  const std::vector<size_t> all_open = NextRows(problem);
  if (all_open.empty()) return std::optional<DesignChoice>();
  const Space space = MakeSpace(problem.candidates);
  RECKON_ASSIGN(const bool again, IsDoubtful(problem, space, kernels_));
  Observed observed = Collect(problem.measured);
  RECKON_ASSIGN(
      const Surrogate surrogate,
      Surrogate::Condition(space, kernels_.For(space, problem.measured), std::move(observed)));
  std::vector<size_t> open =
      again ? std::vector{problem.measured.back().row}
            : Pick(all_open, learn::ThinRows(all_open.size(), kMostInPlay,
                                             rng_.Fork(3 + problem.measured.size())));
  const std::vector<size_t> covered = NewlyCovered(space, surrogate.observed().rows, open);
  const Surrogate::View view = surrogate.Look(std::move(open));
  const Vector log_times = LogTimes(problem, space, view);
  const Vector log_costs = LogCosts(problem, view.rows, log_times);

  const bool starting = *std::max_element(covered.begin(), covered.end()) > 0;
  Vector scores;
  if (starting) {
    scores = LogCounts(covered);
    if (!problem.measured.empty()) scores -= kCaution * view.variance.cwiseSqrt();
  } else {
    scores = LogGains(criterion_, surrogate, view,
                      surrogate.Look(learn::ThinRows(problem.candidates.row_count, kMostReference,
                                                     rng_.Fork(2))));
  }
  scores -= log_costs;
  if (!again) LeaveOutTooLong(problem, log_times, log_costs, scores);
  Index best = 0;
  if (std::isinf(scores.maxCoeff(&best))) return std::optional<DesignChoice>();
  DesignChoice choice{.row = view.rows[static_cast<size_t>(best)], .again = again};
  if (again) {
    choice.why = "again, since it came out as nothing else measured would have it";
  } else if (starting) {
    choice.why = fmt::format("shows {} of columns not seen before",
                             base::Count(covered[static_cast<size_t>(best)], "level or end"));
  } else {
    choice.why = fmt::format(
        "{} for its cost; its own forecast is unsure by a factor of {:.2f}",
        criterion_ == Criterion::kA ? "makes all forecasts surest" : "tells most of the law",
        std::exp(std::sqrt(view.variance(best))));
  }
  if (!problem.measured.empty()) choice.expected_s = std::exp(log_times(best));
  if (!problem.measured.empty() && !problem.price_per_hour.empty()) {
    choice.expected_cost = std::exp(log_costs(best));
  }
  return std::optional(std::move(choice));
}

}  // namespace reckon::decide
