#include "app/run_splits.h"

#include <algorithm>

#include "app/shared_progress.h"
#include "base/parallel.h"
#include "learn/model.h"
#include "learn/validate/interval_tally.h"

namespace reckon::app {
namespace {

using base::Result;
using numeric::Vector;

struct Score {
  std::string description;
  Gathered training;
  Gathered selection;
  Gathered validation;

  void Add(const learn::Contender& contender, const learn::Dataset& train, const Vector& truth,
           const numeric::Matrix& x, const ValidationMethod& method) {
    const learn::Candidate& candidate = contender.fitted.candidate;
    description = method.describe ? method.describe(candidate) : candidate.Describe();
    training.Add(train.y, contender.fitted.Predict(train.x));
    for (const learn::SelectionResidual& residual : contender.residuals) {
      selection.truth.push_back(residual.truth);
      selection.predicted.push_back(residual.predicted);
    }
    validation.Add(truth, contender.fitted.Predict(x));
  }

  // The same technique on another split.
  void Add(const Score& other) {
    if (description.empty()) description = other.description;
    if (description != other.description) description = "(differs by split)";
    training.Add(other.training);
    selection.Add(other.selection);
    validation.Add(other.validation);
  }

  TechniqueRow ToRow(const std::string& technique) const {
    return {
        technique, description, training.Measured(), selection.Measured(), validation.Measured(),
        false};
  }
};

// What one split says of every technique and of the chosen model.
struct SplitOutcome {
  std::map<std::string, Score> scores;
  std::string chosen;  // technique
  std::vector<std::string> notes;
  learn::IntervalTally intervals;
};

std::vector<size_t> TableRows(const learn::Dataset& data, const std::vector<size_t>& rows) {
  std::vector<size_t> table_rows;
  for (const size_t row : rows) table_rows.push_back(data.table_rows[row]);
  return table_rows;
}

Result<SplitOutcome> RunSplit(const Prepared& prepared, const ValidationMethod& method,
                              const learn::Split& split, size_t jobs, const std::stop_token& stop,
                              base::Progress& progress) {
  const core::Table train_table = prepared.table.Select(TableRows(prepared.data, split.train));
  const core::Table test_table = prepared.table.Select(TableRows(prepared.data, split.test));
  auto built = learn::BuildDataset(train_table, prepared.dataset_options);
  if (!built.ok()) return std::move(built).error().Wrap("training part of " + method.label);
  const learn::Dataset& train = *built;
  learn::SearchOptions options = prepared.search;
  options.jobs = jobs;
  if (method.seed) options.seed = *method.seed;
  // Given candidates are compared by folds: that is no practice for going beyond the range.
  const bool by_folds = options.candidates.has_value() || !options.preset.empty();
  if (method.extrapolate && !by_folds) {
    RECKON_ASSIGN(options.question.extrapolate, train.schema.FindInput(*method.extrapolate));
  }
  RECKON_ASSIGN(learn::SearchOutcome found, learn::Search(train, options, stop, progress));
  SplitOutcome outcome;
  outcome.notes = found.notes;
  RECKON_ASSIGN(const learn::EncodedInputs inputs, learn::EncodeInputs(test_table, train.schema));
  Vector truth(static_cast<Eigen::Index>(split.test.size()));
  for (size_t i = 0; i < split.test.size(); ++i) {
    truth(static_cast<Eigen::Index>(i)) = prepared.data.y(static_cast<Eigen::Index>(split.test[i]));
  }
  for (const learn::Contender& contender : found.contenders) {
    outcome.scores[contender.fitted.candidate.technique].Add(contender, train, truth, inputs.x,
                                                             method);
  }
  outcome.chosen = found.contenders.front().fitted.candidate.technique;
  const learn::Model model = learn::MakeModel(train, options, std::move(found));
  const learn::Bounds bounds = model.PredictBounds(inputs.x);
  for (Eigen::Index i = 0; i < truth.size(); ++i) {
    outcome.intervals.Add(truth(i), bounds.lower(i), bounds.upper(i));
  }
  return outcome;
}

// The outcomes of a method's splits as one block, techniques in the order of their selection
// errors: relative ones when every target is above 0, as the search compares them; `notes` gets
// what it does not have yet.
ValidationBlock MakeBlock(const ValidationMethod& method, const std::vector<SplitOutcome>& outcomes,
                          bool relative, std::vector<std::string>& notes) {
  ValidationBlock block;
  block.method = method.label;
  block.splits = method.splits.size();
  std::map<std::string, Score> scores;
  Score chosen;
  std::string chosen_name = outcomes.front().chosen;
  learn::IntervalTally intervals;
  for (size_t s = 0; s < outcomes.size(); ++s) {
    block.training_rows += method.splits[s].train.size();
    block.validation_rows += method.splits[s].test.size();
    for (const auto& [technique, score] : outcomes[s].scores) scores[technique].Add(score);
    chosen.Add(outcomes[s].scores.at(outcomes[s].chosen));
    if (outcomes[s].chosen != chosen_name) chosen_name = "(differs by split)";
    intervals.Add(outcomes[s].intervals);
    for (const std::string& note : outcomes[s].notes) {
      if (std::find(notes.begin(), notes.end(), note) == notes.end()) notes.push_back(note);
    }
  }
  for (auto& [technique, score] : scores) {
    block.techniques.push_back(score.ToRow(technique));
    block.held_out[technique] = std::move(score.validation);
  }
  std::stable_sort(block.techniques.begin(), block.techniques.end(),
                   [relative](const TechniqueRow& a, const TechniqueRow& b) {
                     return relative ? *a.selection.mape_percent < *b.selection.mape_percent
                                     : a.selection.rmse < b.selection.rmse;
                   });
  block.chosen = chosen.ToRow(chosen_name);
  block.chosen_held_out = chosen.validation;
  block.chosen.chosen = true;
  block.coverage_percent = intervals.CoveragePercent();
  block.interval_score_percent = intervals.MeanScorePercent();
  return block;
}

}  // namespace

void Gathered::Add(const Vector& more_truth, const Vector& more_predicted) {
  truth.insert(truth.end(), more_truth.begin(), more_truth.end());
  predicted.insert(predicted.end(), more_predicted.begin(), more_predicted.end());
}

void Gathered::Add(const Gathered& other) {
  truth.insert(truth.end(), other.truth.begin(), other.truth.end());
  predicted.insert(predicted.end(), other.predicted.begin(), other.predicted.end());
}

core::Metrics Gathered::Measured() const {
  const auto size = static_cast<Eigen::Index>(truth.size());
  return learn::Measure(Eigen::Map<const Vector>(truth.data(), size),
                        Eigen::Map<const Vector>(predicted.data(), size));
}

Result<std::vector<ValidationBlock>> RunSplits(const Prepared& prepared,
                                               const std::vector<ValidationMethod>& methods,
                                               const Context& context,
                                               std::vector<std::string>& notes) {
  // Every split of every method is a task of its own: they share nothing, and one after the other
  // each would end with threads that wait for its slowest model.
  std::vector<std::pair<size_t, size_t>> tasks;  // method, split
  std::vector<std::vector<SplitOutcome>> outcomes(methods.size());
  for (size_t m = 0; m < methods.size(); ++m) {
    outcomes[m].resize(methods[m].splits.size());
    for (size_t s = 0; s < methods[m].splits.size(); ++s) tasks.emplace_back(m, s);
  }
  const size_t jobs_a_task = (context.jobs + tasks.size() - 1) / tasks.size();
  SharedProgress shared(context.progress, "validating", tasks.size());
  const base::Status done =
      base::ParallelFor(tasks.size(), context.jobs, context.stop, [&](size_t task) -> base::Status {
        const auto [m, s] = tasks[task];
        SharedProgress::Part part(shared);
        auto outcome =
            RunSplit(prepared, methods[m], methods[m].splits[s], jobs_a_task, context.stop, part);
        if (!outcome.ok()) {
          return std::move(outcome).error().Wrap("validation by " + methods[m].label);
        }
        outcomes[m][s] = *std::move(outcome);
        return {};
      });
  RECKON_TRY(done);
  std::vector<ValidationBlock> blocks;
  const bool relative = prepared.data.y.minCoeff() > 0;
  for (size_t m = 0; m < methods.size(); ++m) {
    blocks.push_back(MakeBlock(methods[m], outcomes[m], relative, notes));
  }
  return blocks;
}

}  // namespace reckon::app
