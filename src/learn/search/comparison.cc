#include "learn/search/comparison.h"

#include <algorithm>
#include <limits>
#include <map>

#include "base/parallel.h"
#include "learn/search/fit_part.h"
#include "learn/search/fitted.h"

namespace reckon::learn {
namespace {

class Comparing {
 public:
  Comparing(const ComparisonPlan& plan, std::vector<Trial> trials)
      : plan_(plan), trials_(std::move(trials)) {
    for (Trial& trial : trials_) trial.predicted.resize(plan.splits.size());
    for (const Split& split : plan.splits) {
      train_parts_.push_back(plan.data.Subset(split.train));
      test_inputs_.push_back(plan.data.Subset(split.test).x);
    }
  }

  base::Status Run(const std::stop_token& stop, base::Progress& progress) {
    std::vector<size_t> splits;
    const size_t first = FirstSplit();
    for (size_t s = 0; s < plan_.splits.size(); ++s) {
      if (s != first) splits.push_back(s);
    }
    RECKON_TRY(RunOn({first}, stop, progress));
    if (plan_.stop_hopeless && !splits.empty()) StopHopeless(first);
    return RunOn(splits, stop, progress);
  }

  Comparison Finish() {
    Comparison comparison;
    comparison.rows = CollectRows(plan_.data, plan_.splits, train_parts_, plan_.question);
    comparison.rows.percentage = plan_.percentage;
    comparison.scored = ScoreAll(trials_, comparison.rows);
    comparison.trials = std::move(trials_);
    return comparison;
  }

 private:
  // The one that leaves most to learn from is most like the real question.
  size_t FirstSplit() const {
    const auto most = std::max_element(
        plan_.splits.begin(), plan_.splits.end(),
        [](const Split& a, const Split& b) { return a.train.size() < b.train.size(); });
    return static_cast<size_t>(most - plan_.splits.begin());
  }

  base::Status RunOn(const std::vector<size_t>& splits, const std::stop_token& stop,
                     base::Progress& progress) {
    return base::ParallelFor(trials_.size() * splits.size(), plan_.jobs, stop,
                             [&](size_t task) -> base::Status {
                               const size_t trial = task / splits.size();
                               if (!trials_[trial].hopeless) {
                                 FitOne(trial, splits[task % splits.size()], stop);
                               }
                               progress.Advance(1);
                               return {};
                             });
  }

  void FitOne(size_t index, size_t split, const std::stop_token& stop) {
    Trial& trial = trials_[index];
    const auto stream = static_cast<uint64_t>(index * plan_.splits.size() + split);
    auto predictors = FitPart(*trial.technique,
                              {.data = train_parts_[split],
                               .roles = plan_.roles,
                               .rng = plan_.rng.Fork(stream),
                               .question = plan_.question,
                               .stop = stop},
                              trial.group);
    if (!predictors.ok()) return;  // this candidate is out; the others go on
    for (size_t c = 0; c < trial.group.size(); ++c) {
      const Fitted fitted{trial.group[c], std::move((*predictors)[c]),
                          RangeOf(train_parts_[split].y)};
      trial.predicted[split].push_back(fitted.Predict(test_inputs_[split]));
    }
  }

  void StopHopeless(size_t split) {
    const SelectionRows rows =
        CollectRows(plan_.data, {plan_.splits[split]}, {train_parts_[split]}, plan_.question);
    std::vector<double> scores(trials_.size(), std::numeric_limits<double>::infinity());
    double best = std::numeric_limits<double>::infinity();
    std::map<const Technique*, double> best_of_technique;
    for (size_t t = 0; t < trials_.size(); ++t) {
      for (const Vector& predicted : trials_[t].predicted[split]) {
        scores[t] = std::min(scores[t], SelectionScore(rows, predicted));
      }
      best = std::min(best, scores[t]);
      double& own = best_of_technique.try_emplace(trials_[t].technique, scores[t]).first->second;
      own = std::min(own, scores[t]);
    }
    for (size_t t = 0; t < trials_.size(); ++t) {
      trials_[t].hopeless =
          scores[t] > kHopeless * best && scores[t] > best_of_technique.at(trials_[t].technique);
    }
  }

  const ComparisonPlan& plan_;
  std::vector<Trial> trials_;
  std::vector<Dataset> train_parts_;
  std::vector<Matrix> test_inputs_;
};

}  // namespace

base::Result<Comparison> Compare(const ComparisonPlan& plan, std::vector<Trial> trials,
                                 const std::stop_token& stop, base::Progress& progress) {
  progress.Begin("comparing models", trials.size() * plan.splits.size());
  Comparing comparing(plan, std::move(trials));
  const base::Status done = comparing.Run(stop, progress);
  progress.End();
  RECKON_TRY(done);
  Comparison comparison = comparing.Finish();
  if (comparison.scored.empty()) {
    return base::Error(base::ErrorCode::kFailed, "no technique could be fitted to this data");
  }
  return comparison;
}

}  // namespace reckon::learn
