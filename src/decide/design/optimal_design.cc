#include "decide/design/optimal_design.h"

#include <algorithm>
#include <cmath>

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

// Log of what each row should cost: the mean of a log-normal time, times the price.
Vector LogCosts(const DesignProblem& problem, const Space& space, const Surrogate& surrogate,
                const std::vector<size_t>& rows) {
  Vector costs;
  if (problem.measured.empty()) {
    costs = FirstGuess(space, rows);
  } else {
    costs = surrogate.LogTook(rows) + 0.5 * surrogate.Variance(rows).cwiseMin(kMostDoubt);
  }
  for (size_t i = 0; i < rows.size() && !problem.price_per_hour.empty(); ++i) {
    costs(static_cast<Index>(i)) += std::log(problem.price_per_hour[rows[i]] / 3600);
  }
  return costs;
}

Vector LogGains(Criterion criterion, const Surrogate& surrogate, const std::vector<size_t>& rows,
                const std::vector<size_t>& reference) {
  const double noise = surrogate.kernel().noise;
  const Vector variance = surrogate.Variance(rows);
  if (criterion == Criterion::kD) return (1 + variance.array() / noise).log().log();
  const Matrix covariance = surrogate.Covariance(rows, reference);
  const Vector explained =
      covariance.rowwise().squaredNorm() / static_cast<double>(reference.size());
  return (explained.array() / (variance.array() + noise)).log();
}

DesignChoice Chosen(const DesignProblem& problem, size_t row, double log_cost, std::string why) {
  DesignChoice choice{.row = row, .why = std::move(why)};
  if (problem.measured.empty()) return choice;
  choice.expected_s = std::exp(log_cost);
  if (!problem.price_per_hour.empty()) {
    choice.expected_cost = choice.expected_s;
    choice.expected_s /= problem.price_per_hour[row] / 3600;
  }
  return choice;
}

}  // namespace

base::Result<std::optional<DesignChoice>> OptimalDesign::Next(const DesignProblem& problem) {
  RECKON_TRY(CheckProblem(problem));
  const std::vector<size_t> all_open = OpenRows(problem);
  if (all_open.empty()) return std::optional<DesignChoice>();
  const Space space = MakeSpace(problem.candidates);
  const base::Rng draw = rng_.Fork(2 + problem.measured.size());
  const std::vector<size_t> open =
      Pick(all_open, learn::ThinRows(all_open.size(), kMostInPlay, draw.Fork(1)));
  Observed observed = Collect(problem.measured);
  const std::vector<size_t> covered = NewlyCovered(space, observed.rows, open);
  RECKON_ASSIGN(
      const Surrogate surrogate,
      Surrogate::Condition(space, kernels_.For(space, problem.measured), std::move(observed)));
  const Vector log_costs = LogCosts(problem, space, surrogate, open);

  const bool starting = *std::max_element(covered.begin(), covered.end()) > 0;
  Vector scores;
  if (starting) {
    scores.resize(log_costs.size());
    for (Index i = 0; i < scores.size(); ++i) {
      scores(i) = std::log(static_cast<double>(covered[static_cast<size_t>(i)]));
    }
  } else {
    const std::vector<size_t> reference =
        learn::ThinRows(problem.candidates.row_count, kMostInPlay, draw.Fork(2));
    scores = LogGains(criterion_, surrogate, open, reference);
  }
  scores -= log_costs;
  Index best = 0;
  scores.maxCoeff(&best);
  const size_t row = open[static_cast<size_t>(best)];
  const double deviation = std::sqrt(surrogate.Variance(std::span(&row, 1))(0));
  std::string why =
      starting
          ? fmt::format("shows {}", base::Count(covered[static_cast<size_t>(best)],
                                                "level or end of a column not yet seen"))
          : fmt::format("most {} for its cost; its own forecast is unsure by a factor of {:.2f}",
                        criterion_ == Criterion::kA ? "certainty of all forecasts" : "information",
                        std::exp(deviation));
  return std::optional(Chosen(problem, row, log_costs(best), std::move(why)));
}

}  // namespace reckon::decide
