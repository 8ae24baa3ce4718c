#include "learn/search/standings.h"

#include <algorithm>
#include <chrono>
#include <numeric>

#include "base/parallel.h"
#include "learn/search/question_roles.h"
#include "learn/search/refit.h"
#include "learn/validate/splits.h"

namespace reckon::learn {
namespace {

constexpr size_t kFolds = 5;
// Rows predicted to take the time: enough for the clock, and no more than that.
constexpr Eigen::Index kTimedRows = 1000;

// One way of holding rows out, and where its error goes.
struct Method {
  std::vector<Split> splits;
  std::optional<Metrics> Standing::*error;
};

std::vector<Method> Methods(const Dataset& data, const std::optional<size_t>& column,
                            base::Rng rng) {
  std::vector<Method> methods;
  methods.push_back(
      {GroupedKFoldSplits(data, std::min(kFolds, data.rows()), rng), &Standing::folds});
  if (!column) return methods;
  // A column with too few values for a question leaves it open.
  if (auto inner = InterpolationSplit(data, *column, {}); inner.ok()) {
    methods.push_back({{*std::move(inner)}, &Standing::interpolation});
  }
  if (const auto threshold = DefaultThreshold(data, *column); threshold.ok()) {
    auto outer = ExtrapolationSplit(data, *column, Beyond::kAbove, *threshold);
    if (outer.ok()) methods.push_back({{*std::move(outer)}, &Standing::extrapolation});
  }
  return methods;
}

double SecondsSince(const base::Clock& clock, base::MonotonicTime begin) {
  return std::chrono::duration<double>(clock.Monotonic() - begin).count();
}

}  // namespace

base::Result<Standings> CompareByQuestion(const Dataset& data,
                                          const std::vector<Contender>& contenders,
                                          const SearchOptions& options, const base::Clock& clock,
                                          const std::stop_token& stop, base::Progress& progress) {
  const base::Rng rng(options.seed);
  RECKON_ASSIGN(const Roles roles, RolesForQuestion(data.schema, options.roles, options.question));
  Standings standings;
  standings.column = options.question.extrapolate ? options.question.extrapolate : roles.workers;
  const std::vector<Method> methods = Methods(data, standings.column, rng.Fork(31));
  struct Task {
    size_t contender;
    const Split* split;
  };
  std::vector<Task> tasks;
  for (size_t c = 0; c < contenders.size(); ++c) {
    for (const Method& method : methods) {
      for (const Split& split : method.splits) tasks.push_back({c, &split});
    }
  }
  std::vector<Vector> predicted(tasks.size());
  progress.Begin("comparing techniques", tasks.size() + contenders.size());
  const base::Status compared =
      base::ParallelFor(tasks.size(), options.jobs, stop, [&](size_t t) -> base::Status {
        const Dataset train = data.Subset(tasks[t].split->train);
        const auto fitted = Refit(contenders[tasks[t].contender].fitted,
                                  {train, roles, rng.Fork(3000 + t), options.question, 1, stop});
        progress.Advance(1);
        if (fitted.ok()) predicted[t] = fitted->Predict(data.Subset(tasks[t].split->test).x);
        return {};  // a part that cannot be fitted leaves its figure open
      });
  // One after the other, so that the times are theirs alone.
  size_t t = 0;
  for (const Contender& contender : contenders) {
    if (!compared.ok() || stop.stop_requested()) break;
    const Candidate& candidate = contender.fitted.candidate;
    Standing standing{.technique = candidate.technique, .description = candidate.Describe()};
    for (const Method& method : methods) {
      std::vector<double> truths;
      std::vector<double> guesses;
      bool whole = true;
      for (const Split& split : method.splits) {
        const Vector& guess = predicted[t++];
        whole = whole && guess.size() == static_cast<Eigen::Index>(split.test.size());
        for (const size_t row : split.test)
          truths.push_back(data.y(static_cast<Eigen::Index>(row)));
        guesses.insert(guesses.end(), guess.begin(), guess.end());
      }
      if (!whole) continue;
      const auto size = static_cast<Eigen::Index>(truths.size());
      standing.*method.error = Measure(Eigen::Map<const Vector>(truths.data(), size),
                                       Eigen::Map<const Vector>(guesses.data(), size));
    }
    const base::MonotonicTime begin = clock.Monotonic();
    const auto again =
        Refit(contender.fitted, {data, roles, rng.Fork(4000), options.question, 1, stop});
    standing.fit_s = SecondsSince(clock, begin);
    if (again.ok()) {
      Matrix asked(kTimedRows, data.x.cols());
      for (Eigen::Index i = 0; i < kTimedRows; ++i) asked.row(i) = data.x.row(i % data.x.rows());
      const base::MonotonicTime start = clock.Monotonic();
      const Vector answers = again->Predict(asked);
      standing.predict_us = 1e6 * SecondsSince(clock, start) / static_cast<double>(answers.size());
    }
    standings.rows.push_back(std::move(standing));
    progress.Advance(1);
  }
  progress.End();
  RECKON_TRY(compared);
  if (stop.stop_requested()) return base::Error(base::ErrorCode::kInterrupted, "interrupted");
  return standings;
}

}  // namespace reckon::learn
