#include "learn/search/search.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <fmt/format.h>

#include "base/parallel.h"
#include "learn/interval.h"
#include "learn/regressors/registry.h"

namespace reckon::learn {
namespace {

struct Trial {
  const Technique* technique = nullptr;
  CandidateGroup group;
  // [split][candidate]: predictions for the split's test rows; empty when the fit failed.
  std::vector<std::vector<Vector>> predicted;
};

base::Result<std::vector<const Technique*>> ChosenTechniques(const SearchOptions& options) {
  if (options.techniques.empty()) return AllTechniques();
  std::vector<const Technique*> chosen;
  for (const std::string& name : options.techniques) {
    RECKON_ASSIGN(const Technique* technique, FindTechnique(name));
    if (std::find(chosen.begin(), chosen.end(), technique) == chosen.end()) {
      chosen.push_back(technique);
    }
  }
  return chosen;
}

// What candidates are compared on: all rows, or a part of very many.
Dataset SelectionData(const Dataset& data, base::Rng rng, std::vector<std::string>& notes) {
  std::vector<size_t> rows;
  if (data.rows() > kSelectionRows) {
    rows = rng.Permutation(data.rows());
    rows.resize(kSelectionRows);
    std::sort(rows.begin(), rows.end());
    notes.push_back(fmt::format("candidates compared on {} of {} rows, the best fitted to all",
                                kSelectionRows, data.rows()));
  } else {
    rows.resize(data.rows());
    std::iota(rows.begin(), rows.end(), size_t{0});
  }
  return data.Subset(rows);
}

// Relative errors say nothing of rows whose target is 0: with such rows RMSE decides.
enum class Criterion { kMape, kRmse };

double Score(const Metrics& metrics, Criterion criterion) {
  return criterion == Criterion::kMape ? metrics.mape_percent.value_or(metrics.rmse) : metrics.rmse;
}

// The test rows of all splits, one after the other: what every candidate is measured on.
struct SelectionRows {
  Vector truth;
  std::vector<double> distance;
};

SelectionRows CollectRows(const Dataset& data, const std::vector<Split>& splits,
                          const std::vector<Dataset>& train_parts) {
  SelectionRows rows;
  std::vector<double> truth;
  for (size_t s = 0; s < splits.size(); ++s) {
    for (const size_t test_row : splits[s].test) {
      const auto row = static_cast<Eigen::Index>(test_row);
      truth.push_back(data.y(row));
      rows.distance.push_back(InputDistance(data.x.row(row), train_parts[s].schema));
    }
  }
  rows.truth = Eigen::Map<const Vector>(truth.data(), static_cast<Eigen::Index>(truth.size()));
  return rows;
}

Vector PooledPredictions(const Trial& trial, size_t candidate, Eigen::Index rows) {
  Vector pooled(rows);
  Eigen::Index at = 0;
  for (const std::vector<Vector>& split : trial.predicted) {
    pooled.segment(at, split[candidate].size()) = split[candidate];
    at += split[candidate].size();
  }
  return pooled;
}

bool FittedEverywhere(const Trial& trial) {
  return std::all_of(trial.predicted.begin(), trial.predicted.end(),
                     [](const std::vector<Vector>& split) { return !split.empty(); });
}

Roles RolesForQuestion(Roles roles, const SearchOptions& options, const Dataset& data) {
  // A column nobody could name but that the user wants to scale along counts as workers.
  const std::optional<size_t>& column = options.question.extrapolate;
  const bool usable = column && column != roles.size && data.schema.inputs[*column].min > 0;
  if (roles.workers || !usable) return roles;
  roles.workers = column;
  const auto at = std::lower_bound(roles.extrinsic.begin(), roles.extrinsic.end(), *column);
  if (options.roles.extrinsic.empty() && (at == roles.extrinsic.end() || *at != *column)) {
    roles.extrinsic.insert(at, *column);
  }
  return roles;
}

struct Best {
  size_t trial = 0;
  size_t candidate = 0;
  Metrics selection;
  size_t tried = 0;
};

// The best candidate of each technique that could be fitted, best technique first.
std::vector<Best> PickWinners(const std::vector<const Technique*>& techniques,
                              const std::vector<Trial>& trials, const SelectionRows& rows) {
  const Criterion criterion = (rows.truth.array() == 0).any() ? Criterion::kRmse : Criterion::kMape;
  std::vector<Best> winners;
  for (const Technique* technique : techniques) {
    Best best;
    double best_score = std::numeric_limits<double>::infinity();
    for (size_t t = 0; t < trials.size(); ++t) {
      const Trial& trial = trials[t];
      if (trial.technique != technique) continue;
      best.tried += trial.group.size();
      if (!FittedEverywhere(trial)) continue;
      for (size_t c = 0; c < trial.group.size(); ++c) {
        const Metrics metrics = Measure(rows.truth, PooledPredictions(trial, c, rows.truth.size()));
        if (!(Score(metrics, criterion) < best_score)) continue;
        best_score = Score(metrics, criterion);
        best.trial = t;
        best.candidate = c;
        best.selection = metrics;
      }
    }
    if (std::isfinite(best_score)) winners.push_back(best);
  }
  std::stable_sort(winners.begin(), winners.end(), [&](const Best& a, const Best& b) {
    return Score(a.selection, criterion) < Score(b.selection, criterion);
  });
  return winners;
}

}  // namespace

base::Result<SearchOutcome> Search(const Dataset& data, const SearchOptions& options,
                                   const std::stop_token& stop, base::Progress& progress) {
  SearchOutcome outcome;
  const base::Rng rng(options.seed);
  RECKON_ASSIGN(Roles roles, FindRoles(data.schema, options.roles));
  roles = RolesForQuestion(roles, options, data);
  RECKON_ASSIGN(const std::vector<const Technique*> techniques, ChosenTechniques(options));

  const Dataset selection = SelectionData(data, rng.Fork(1), outcome.notes);
  std::string note;
  const std::vector<Split> splits = SelectionSplits(selection, options.question, rng.Fork(2), note);
  if (!note.empty()) outcome.notes.push_back(note);

  std::vector<Trial> trials;
  for (const Technique* technique : techniques) {
    auto groups = technique->Candidates(selection, roles, options.question, options.restrictions);
    if (groups.empty() && !options.techniques.empty()) {
      return base::BadInput(fmt::format("technique '{}' does not apply here; it needs {}",
                                        technique->name(), technique->requirement()));
    }
    for (CandidateGroup& group : groups) {
      trials.push_back({technique, std::move(group), {}});
      trials.back().predicted.resize(splits.size());
    }
  }
  if (trials.empty()) return base::BadInput("no technique applies to this data");

  std::vector<Dataset> train_parts;
  std::vector<Matrix> test_inputs;
  for (const Split& split : splits) {
    train_parts.push_back(selection.Subset(split.train));
    test_inputs.push_back(selection.Subset(split.test).x);
  }

  const size_t task_count = trials.size() * splits.size();
  progress.Begin("comparing models", task_count);
  const base::Status compared =
      base::ParallelFor(task_count, options.jobs, stop, [&](size_t task) -> base::Status {
        Trial& trial = trials[task / splits.size()];
        const size_t s = task % splits.size();
        auto predictors = trial.technique->Fit(
            {.data = train_parts[s], .roles = roles, .rng = rng.Fork(1000 + task), .stop = stop},
            trial.group);
        progress.Advance(1);
        if (!predictors.ok()) return {};  // this candidate is out; the others go on
        for (size_t c = 0; c < trial.group.size(); ++c) {
          const Fitted fitted{trial.group[c], std::move((*predictors)[c]),
                              RangeOf(train_parts[s].y)};
          trial.predicted[s].push_back(fitted.Predict(test_inputs[s]));
        }
        return {};
      });
  progress.End();
  RECKON_TRY(compared);

  const SelectionRows rows = CollectRows(selection, splits, train_parts);
  const std::vector<Best> winners = PickWinners(techniques, trials, rows);
  if (winners.empty()) {
    return base::Error(base::ErrorCode::kFailed, "no technique could be fitted to this data");
  }
  outcome.contenders.resize(winners.size());
  progress.Begin("fitting the best", winners.size());
  const base::Status fitted =
      base::ParallelFor(winners.size(), options.jobs, stop, [&](size_t w) -> base::Status {
        const Best& best = winners[w];
        const Trial& trial = trials[best.trial];
        Contender& contender = outcome.contenders[w];
        const CandidateGroup alone{trial.group[best.candidate]};
        RECKON_ASSIGN(
            auto predictors,
            trial.technique->Fit({data, roles, rng.Fork(2000 + w), options.repeats, stop}, alone));
        contender.fitted = {alone.front(), std::move(predictors.front()), RangeOf(data.y)};
        contender.training = Measure(data.y, contender.fitted.Predict(data.x));
        contender.selection = best.selection;
        contender.tried = best.tried;
        const Vector predicted = PooledPredictions(trial, best.candidate, rows.truth.size());
        for (Eigen::Index i = 0; i < predicted.size(); ++i) {
          contender.residuals.push_back(
              {rows.truth(i), predicted(i), rows.distance[static_cast<size_t>(i)]});
        }
        progress.Advance(1);
        return {};
      });
  progress.End();
  RECKON_TRY(fitted);
  return outcome;
}

}  // namespace reckon::learn
