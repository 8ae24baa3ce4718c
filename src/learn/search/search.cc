#include "learn/search/search.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "base/parallel.h"
#include "learn/regressors/blend.h"
#include "learn/regressors/registry.h"
#include "learn/search/choose_blend.h"
#include "learn/search/question_roles.h"
#include "learn/search/trials.h"

namespace reckon::learn {
namespace {

base::Result<std::vector<const Technique*>> ChosenTechniques(const SearchOptions& options) {
  const std::vector<std::string> only_blend{"blend"};
  std::vector<const Technique*> chosen;
  if (options.techniques.empty() || options.techniques == only_blend) {
    for (const Technique* technique : AllTechniques()) {
      if (technique->TakesPart(options.question)) chosen.push_back(technique);
    }
    return chosen;
  }
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

// The best candidate of each technique, best technique first: indices into `scored`.
std::vector<size_t> PickWinners(const std::vector<Scored>& scored,
                                const std::vector<Trial>& trials) {
  std::vector<size_t> winners;
  std::set<const Technique*> seen;
  for (size_t i = 0; i < scored.size(); ++i) {
    if (seen.insert(trials[scored[i].trial].technique).second) winners.push_back(i);
  }
  return winners;
}

size_t TriedBy(const Technique* technique, const std::vector<Trial>& trials) {
  size_t tried = 0;
  for (const Trial& trial : trials) {
    if (trial.technique == technique) tried += trial.group.size();
  }
  return tried;
}

std::vector<SelectionResidual> Residuals(const SelectionRows& rows, const Vector& predicted,
                                         const Vector& spread) {
  std::vector<SelectionResidual> residuals;
  for (Eigen::Index i = 0; i < predicted.size(); ++i) {
    residuals.push_back(
        {rows.truth(i), predicted(i), rows.distance[static_cast<size_t>(i)], spread(i)});
  }
  return residuals;
}

bool WantsBlend(const SearchOptions& options, const SelectionRows& rows) {
  const bool named = std::find(options.techniques.begin(), options.techniques.end(), "blend") !=
                     options.techniques.end();
  const bool listed = !options.preset.empty() || options.candidates;
  return rows.relative && (named || (options.techniques.empty() && !listed));
}

base::Result<std::vector<Trial>> MakeTrials(const Dataset& data, const Roles& roles,
                                            const SearchOptions& options, const Preset* preset) {
  std::vector<Trial> trials;
  if (preset != nullptr) {
    for (const CandidateGroup& group : preset->groups) {
      RECKON_ASSIGN(const Technique* technique, FindTechnique(group.front().technique));
      trials.push_back({technique, group, {}});
    }
    return trials;
  }
  RECKON_ASSIGN(const std::vector<const Technique*> techniques, ChosenTechniques(options));
  for (const Technique* technique : techniques) {
    auto groups = technique->Candidates(data, roles, options.question, options.restrictions);
    if (groups.empty() && !options.techniques.empty() && technique->name() != "blend") {
      return base::BadInput(fmt::format("technique '{}' does not apply here; it needs {}",
                                        technique->name(), technique->requirement()));
    }
    for (CandidateGroup& group : groups) trials.push_back({technique, std::move(group), {}});
  }
  if (trials.empty()) return base::BadInput("no technique applies to this data");
  return trials;
}

base::Result<std::vector<Split>> PresetSplits(size_t rows, const Preset& preset, base::Rng rng) {
  if (!preset.holdout_share) return KFoldSplits(rows, preset.folds, rng);
  RECKON_ASSIGN(Split split, HoldOutSplit(rows, *preset.holdout_share, rng));
  return std::vector<Split>{std::move(split)};
}

}  // namespace

base::Result<SearchOutcome> Search(const Dataset& data, const SearchOptions& options,
                                   const std::stop_token& stop, base::Progress& progress) {
  SearchOutcome outcome;
  const base::Rng rng(options.seed);
  RECKON_ASSIGN(const Roles roles, RolesForQuestion(data.schema, options.roles, options.question));
  std::optional<Preset> preset = options.candidates;
  if (!preset && !options.preset.empty()) {
    RECKON_ASSIGN(preset, FindPreset(options.preset, data));
  }

  const Dataset selection = SelectionData(data, rng.Fork(1), outcome.notes);
  std::string note;
  std::vector<Split> splits;
  if (preset) {
    RECKON_ASSIGN(splits, PresetSplits(selection.rows(), *preset, rng.Fork(2)));
  } else {
    splits = SelectionSplits(selection, options.question, rng.Fork(2), note);
  }
  if (!note.empty()) outcome.notes.push_back(note);

  RECKON_ASSIGN(std::vector<Trial> trials,
                MakeTrials(selection, roles, options, preset ? &*preset : nullptr));
  for (Trial& trial : trials) trial.predicted.resize(splits.size());

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
        auto predictors = trial.technique->Fit({.data = train_parts[s],
                                                .roles = roles,
                                                .rng = rng.Fork(1000 + task),
                                                .question = options.question,
                                                .stop = stop},
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

  SelectionRows rows = CollectRows(selection, splits, train_parts, options.question);
  rows.percentage = preset.has_value();
  const std::vector<Scored> scored = ScoreAll(trials, rows);
  if (scored.empty()) {
    return base::Error(base::ErrorCode::kFailed, "no technique could be fitted to this data");
  }
  const std::vector<size_t> winners = PickWinners(scored, trials);
  std::vector<BlendPart> parts;
  if (WantsBlend(options, rows)) parts = ChooseBlend(scored, rows, options.question);
  if (parts.size() < 2) parts.clear();

  // Fitted to all rows: the winners, then the parts of the blend.
  std::vector<size_t> wanted = winners;
  for (const BlendPart& part : parts) wanted.push_back(part.scored);
  std::vector<Fitted> fitted(wanted.size());
  progress.Begin("fitting the best", wanted.size());
  const base::Status done =
      base::ParallelFor(wanted.size(), options.jobs, stop, [&](size_t w) -> base::Status {
        const Scored& best = scored[wanted[w]];
        const Trial& trial = trials[best.trial];
        const CandidateGroup alone{trial.group[best.candidate]};
        auto predictors = trial.technique->Fit(
            {data, roles, rng.Fork(2000 + wanted[w]), options.question, options.repeats, stop},
            alone);
        progress.Advance(1);
        if (!predictors.ok() && predictors.error().code() != base::ErrorCode::kFailed) {
          return std::move(predictors).error();
        }
        // What could be fitted to parts but not to the whole is out; the others go on.
        if (!predictors.ok()) return {};
        fitted[w] = {alone.front(), std::move(predictors->front()), RangeOf(data.y)};
        return {};
      });
  progress.End();
  RECKON_TRY(done);

  const auto add = [&](Fitted model, const Vector& predicted, const Vector& spread, size_t tried) {
    Contender contender;
    contender.fitted = std::move(model);
    contender.training = Measure(data.y, contender.fitted.Predict(data.x));
    contender.selection = Measure(rows.truth, predicted);
    contender.tried = tried;
    contender.residuals = Residuals(rows, predicted, spread);
    outcome.contenders.push_back(std::move(contender));
  };
  std::vector<BlendMember> members;
  std::vector<BlendPart> used;
  double weight = 0;
  for (size_t i = 0; i < parts.size(); ++i) {
    Fitted& member = fitted[winners.size() + i];
    if (member.predictor == nullptr) continue;
    members.push_back({parts[i].weight, std::move(member)});
    used.push_back(parts[i]);
    weight += parts[i].weight;
  }
  if (members.size() >= 2) {
    for (size_t i = 0; i < members.size(); ++i) {
      members[i].weight /= weight;
      used[i].weight /= weight;
    }
    Fitted blend;
    blend.candidate = {.technique = "blend",
                       .scale = TargetScale::kLog,
                       .features = {.raw = false},
                       .settings = {}};
    blend.candidate.settings["members"] = static_cast<double>(members.size());
    blend.predictor = std::make_unique<BlendPredictor>(TargetScale::kLog, std::move(members));
    blend.range = RangeOf(data.y);
    add(std::move(blend), BlendPredictions(scored, used), BlendSpread(scored, used), 1);
  }
  for (size_t w = 0; w < winners.size(); ++w) {
    const Scored& best = scored[winners[w]];
    if (fitted[w].predictor == nullptr) {
      outcome.notes.push_back(
          fmt::format("technique '{}' could not be fitted to all rows: left out",
                      trials[best.trial].technique->name()));
      continue;
    }
    add(std::move(fitted[w]), best.predicted, Vector::Zero(rows.truth.size()),
        TriedBy(trials[best.trial].technique, trials));
  }
  if (outcome.contenders.empty()) {
    return base::Error(base::ErrorCode::kFailed, "no technique could be fitted to all rows");
  }
  return outcome;
}

}  // namespace reckon::learn
