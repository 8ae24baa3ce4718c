#include "app/learning.h"

#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/runs/run_samples.h"
#include "base/text.h"
#include "learn/features/feature_text.h"
#include "learn/regressors/generic.h"
#include "learn/regressors/registry.h"
#include "learn/search/presets.h"

namespace reckon::app {
namespace {

base::Result<learn::Restrictions> ToRestrictions(const LearnRequest& request) {
  learn::Restrictions restrictions;
  if (!request.features.empty()) {
    RECKON_ASSIGN(restrictions.features, learn::ParseFeatureOptions(request.features));
  }
  if (request.degree != 0) {
    if (request.degree > 3) {
      return base::BadInput(fmt::format("degree {} is not between 1 and 3", request.degree));
    }
    restrictions.degree = static_cast<int>(request.degree);
  }
  if (!request.select.empty()) {
    RECKON_ASSIGN(restrictions.select, learn::ParseTermSelection(request.select));
  }
  if (request.max_terms != 0) {
    if (!restrictions.select || restrictions.select->way == learn::TermSelection::Way::kNone) {
      return base::BadInput("--max-terms limits a selection; name one with --select");
    }
    restrictions.select->most_terms = static_cast<int>(request.max_terms);
  }
  if (!request.scale.empty()) {
    RECKON_ASSIGN(restrictions.scale, learn::ParseTargetScale(request.scale));
  }
  RECKON_ASSIGN(restrictions.penalty, learn::ParsePenalty(request.penalty));
  return restrictions;
}

// A choice that no named technique follows would be ignored: better said than done.
base::Status CheckFollowed(const LearnRequest& request) {
  if (request.techniques.empty()) return {};
  struct Choice {
    const char* option;
    bool made;
    bool learn::Follows::*followed;
  };
  const bool select = !request.select.empty() && request.select != "none";
  const std::array choices{
      Choice{"--features", !request.features.empty(), &learn::Follows::features},
      Choice{"--degree", request.degree != 0, &learn::Follows::degree},
      Choice{"--select", select, &learn::Follows::select},
      Choice{"--penalty", !request.penalty.empty(), &learn::Follows::penalty},
      Choice{"--extrinsic", !request.extrinsic.empty(), &learn::Follows::extrinsic}};
  for (const Choice& choice : choices) {
    if (!choice.made) continue;
    bool followed = false;
    for (const std::string& name : request.techniques) {
      RECKON_ASSIGN(const learn::Technique* technique, learn::FindTechnique(name));
      followed = followed || technique->follows().*choice.followed;
    }
    if (followed) continue;
    std::vector<std::string> goes_with;
    for (const learn::Technique* technique : learn::AllTechniques()) {
      if (technique->follows().*choice.followed) goes_with.emplace_back(technique->name());
    }
    return base::BadInput(fmt::format("{} does nothing for technique '{}'; it goes with {}",
                                      choice.option, fmt::join(request.techniques, ", "),
                                      fmt::join(goes_with, ", ")));
  }
  return {};
}

base::Status CheckPreset(const LearnRequest& request) {
  const bool chosen_by_hand = !request.techniques.empty() || !request.features.empty() ||
                              request.degree != 0 || !request.select.empty() ||
                              !request.scale.empty() || !request.penalty.empty();
  if (request.preset.empty() || !chosen_by_hand) return {};
  return base::BadInput(
      "a preset says what is tried; --technique, --features, --degree, --select, --scale and "
      "--penalty do not go with --preset");
}

base::Status CheckLogScale(Prepared& prepared) {
  const learn::Dataset& data = prepared.data;
  Eigen::Index row = 0;
  if (data.y.minCoeff(&row) > 0) return {};
  if (prepared.search.restrictions.scale != learn::TargetScale::kLog) {
    prepared.notes.push_back(fmt::format(
        "target '{}' is not always above 0: models on the log scale left out", data.schema.target));
    return {};
  }
  return base::BadInput(fmt::format("{}: target '{}' is {}; the log scale needs values above 0",
                                    prepared.table.Place(data.table_rows[static_cast<size_t>(row)]),
                                    data.schema.target, base::RoundTrip(data.y(row))));
}

// Runs that lost workers or went on from a checkpoint tell nothing about the whole job.
void LeaveOutBlemished(Prepared& prepared) {
  std::vector<size_t> whole;
  for (size_t row = 0; row < prepared.table.row_count; ++row) {
    if (!IsBlemished(prepared.table, row)) whole.push_back(row);
  }
  const size_t left_out = prepared.table.row_count - whole.size();
  if (left_out == 0) return;
  prepared.table = prepared.table.Select(whole);
  prepared.notes.push_back(fmt::format(
      "{} left out: workers were lost, the training went on from a checkpoint, or others "
      "kept the machine busy",
      base::Count(left_out, "row")));
}

// Runs of ours write down both what was asked for and what was measured; only the former can be
// known when a forecast is wanted.
base::Status LeaveOutMeasured(const LearnRequest& request, const Context& context,
                              Prepared& prepared) {
  RECKON_ASSIGN(const bool collected, IsCollected(request.data, context));
  if (!collected) return {};
  LeaveOutBlemished(prepared);
  FillAbsentLoads(prepared.table);
  size_t left_out = 0;
  for (const std::string& name : prepared.table.Names()) {
    if (name == request.target || IsRunInputOf(request.target, name)) continue;
    prepared.dataset_options.ignore.push_back(name);
    ++left_out;
  }
  prepared.notes.push_back(
      fmt::format("{} of these runs left out: measured, or not to be asked for",
                  base::Count(left_out, "column")));
  return {};
}

}  // namespace

std::vector<std::string> KnownTechniques() { return learn::TechniqueNames(); }

std::vector<std::string> KnownPresets() { return learn::PresetNames(); }

namespace {

// Everything that the request says without its data.
base::Result<Prepared> PrepareSearch(const LearnRequest& request, const Context& context) {
  Prepared prepared;
  if (request.target.empty()) {
    return base::BadInput("no target; name the column to forecast with --target");
  }
  RECKON_TRY(CheckPreset(request));
  RECKON_TRY(CheckFollowed(request));
  RECKON_ASSIGN(prepared.dataset_options.missing, learn::ParseMissingPolicy(request.missing));
  RECKON_ASSIGN(prepared.search.restrictions, ToRestrictions(request));
  prepared.dataset_options.target = request.target;
  prepared.dataset_options.ignore = request.ignore;
  prepared.search.roles = {.workers = request.workers,
                           .size = request.size,
                           .extrinsic = request.extrinsic,
                           .nodes = request.nodes,
                           .batch = request.batch,
                           .bytes = request.bytes,
                           .servers = request.servers,
                           .machine = request.machine,
                           .work = request.work,
                           .activations = request.activations,
                           .threads = request.threads,
                           .epochs = request.epochs};
  prepared.search.techniques = request.techniques;
  prepared.search.preset = request.preset;
  prepared.search.seed = request.seed;
  prepared.search.jobs = context.jobs;
  return prepared;
}

// With its table, and without the columns that are to be ignored.
base::Result<Prepared> Build(Prepared prepared) {
  RECKON_ASSIGN(prepared.data, learn::BuildDataset(prepared.table, prepared.dataset_options));
  if (prepared.search.restrictions.features) {
    RECKON_TRY(learn::CheckFeatureColumns(*prepared.search.restrictions.features, prepared.data));
  }
  prepared.notes.insert(prepared.notes.end(), prepared.data.notes.begin(),
                        prepared.data.notes.end());
  RECKON_TRY(CheckLogScale(prepared));
  return prepared;
}

}  // namespace

base::Result<Prepared> Prepare(const LearnRequest& request, const Context& context) {
  RECKON_ASSIGN(Prepared prepared, PrepareSearch(request, context));
  RECKON_ASSIGN(prepared.table, LoadData(request.data, context));
  RECKON_TRY(LeaveOutMeasured(request, context, prepared));
  return Build(std::move(prepared));
}

base::Result<Prepared> PrepareTable(const LearnRequest& request, core::Table table,
                                    const Context& context) {
  RECKON_ASSIGN(Prepared prepared, PrepareSearch(request, context));
  prepared.table = std::move(table);
  return Build(std::move(prepared));
}

}  // namespace reckon::app
