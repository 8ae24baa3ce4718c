#include "learn/search/search.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "learn/regressors/registry.h"
#include "learn/search/comparison.h"
#include "learn/search/finalists.h"
#include "learn/search/question_roles.h"
#include "learn/thin_rows.h"

namespace reckon::learn {
namespace {

bool Names(const SearchOptions& options, const std::string& technique) {
  return std::find(options.techniques.begin(), options.techniques.end(), technique) !=
         options.techniques.end();
}

// A blend alone is one of whatever suits.
bool ChoosesAmongAll(const SearchOptions& options) {
  return options.techniques.empty() || (options.techniques.size() == 1 && Names(options, "blend"));
}

base::Result<std::vector<const Technique*>> ChosenTechniques(const SearchOptions& options) {
  std::vector<const Technique*> chosen;
  if (ChoosesAmongAll(options)) {
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

// What candidates are compared on: all rows, or a part of very many. The smallest target is among
// them: whether targets have logarithms must not depend on the draw.
Dataset SelectionData(const Dataset& data, base::Rng rng, std::vector<std::string>& notes) {
  if (data.rows() > kSelectionRows) {
    notes.push_back(fmt::format("candidates compared on {} of {} rows, the best fitted to all",
                                kSelectionRows, data.rows()));
  }
  std::vector<size_t> rows = ThinRows(data.rows(), kSelectionRows, rng);
  Eigen::Index smallest = 0;
  data.y.minCoeff(&smallest);
  const auto at = std::lower_bound(rows.begin(), rows.end(), static_cast<size_t>(smallest));
  if (at == rows.end() || *at != static_cast<size_t>(smallest)) {
    rows.insert(at, static_cast<size_t>(smallest));
  }
  return data.Subset(rows);
}

bool WantsBlend(const SearchOptions& options) {
  const bool listed = !options.preset.empty() || options.candidates;
  return Names(options, "blend") || (options.techniques.empty() && !listed);
}

base::Result<std::vector<Trial>> MakeTrials(const Dataset& data, const Roles& roles,
                                            const SearchOptions& options, const Preset* preset) {
  std::vector<Trial> trials;
  if (preset != nullptr) {
    for (const CandidateGroup& group : preset->groups) {
      RECKON_ASSIGN(const Technique* technique, FindTechnique(group.front().technique));
      trials.push_back({technique, group});
    }
    return trials;
  }
  RECKON_ASSIGN(const std::vector<const Technique*> techniques, ChosenTechniques(options));
  for (const Technique* technique : techniques) {
    auto groups = technique->Candidates(data, roles, options.question, options.restrictions);
    if (groups.empty() && !ChoosesAmongAll(options) && technique->name() != "blend") {
      return base::BadInput(fmt::format("technique '{}' does not apply here; it needs {}",
                                        technique->name(), technique->requirement()));
    }
    for (CandidateGroup& group : groups) trials.push_back({technique, std::move(group)});
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
  outcome.notes = NotesOnRoles(data.schema, options.roles, roles);
  std::optional<Preset> preset = options.candidates;
  if (!preset && !options.preset.empty()) {
    RECKON_ASSIGN(preset, FindPreset(options.preset, data));
  }

  const Dataset selection = SelectionData(data, rng.Fork(1), outcome.notes);
  ComparisonPlan plan{.data = selection,
                      .roles = roles,
                      .question = options.question,
                      .splits = {},
                      .stop_hopeless = !preset,
                      .percentage = preset.has_value(),
                      .rng = rng.Fork(3),
                      .jobs = options.jobs};
  if (preset) {
    RECKON_ASSIGN(plan.splits, PresetSplits(selection.rows(), *preset, rng.Fork(2)));
  } else {
    SelectionPlan how = SelectionSplits(selection, options.question, rng.Fork(2));
    plan.splits = std::move(how.splits);
    outcome.practised_beyond = how.beyond;
    if (!how.note.empty()) outcome.notes.push_back(std::move(how.note));
  }
  RECKON_ASSIGN(std::vector<Trial> trials,
                MakeTrials(selection, roles, options, preset ? &*preset : nullptr));
  RECKON_ASSIGN(const Comparison comparison, Compare(plan, std::move(trials), stop, progress));

  if (Names(options, "blend") && !comparison.rows.relative) {
    outcome.notes.push_back(
        "no blend: members are averaged on the log scale, and a target is not "
        "above 0");
  }
  const FinalPlan final_plan{.data = data,
                             .roles = roles,
                             .question = options.question,
                             .blend = WantsBlend(options),
                             .rng = rng.Fork(4),
                             .repeats = options.repeats,
                             .jobs = options.jobs};
  RECKON_ASSIGN(Finalists finalists, FitFinalists(comparison, final_plan, stop, progress));
  outcome.contenders = std::move(finalists.contenders);
  for (std::string& note : finalists.notes) outcome.notes.push_back(std::move(note));
  return outcome;
}

}  // namespace reckon::learn
