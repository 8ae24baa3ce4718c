#include "app/automl/campaign.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "app/automl/technique_names.h"
#include "base/text.h"

namespace reckon::app {
namespace {

using base::Result;
using base::Status;
using Kind = Literal::Kind;

const std::string kGeneral = "General";

Result<Validation> ParseValidation(Configuration& configuration) {
  const auto option = configuration.Find(kGeneral, "validation");
  const std::string expected = "All, HoldOut, KFold, Interpolation or Extrapolation";
  if (!option) return configuration.Missing(kGeneral, "validation", expected);
  const std::string& word = option->value.text;
  if (word == "All") return Validation::kAll;
  if (word == "HoldOut") return Validation::kHoldOut;
  if (word == "KFold") return Validation::kKFold;
  if (word == "Interpolation") return Validation::kInterpolation;
  if (word == "Extrapolation") return Validation::kExtrapolation;
  return configuration.Wrong(*option, expected);
}

Result<std::vector<InterpolationColumn>> ReadInterpolation(Configuration& configuration) {
  const std::string name = "interpolation_columns";
  const std::string expected =
      "columns with a step or a list of values, such as {'cores': 2, 'size': [10, 20]}";
  RECKON_ASSIGN(const auto entries, configuration.Dictionary(kGeneral, name, expected));
  if (!entries || entries->empty()) return configuration.Missing(kGeneral, name, expected);
  const ConfiguredOption option = *configuration.Find(kGeneral, name);
  std::vector<InterpolationColumn> columns;
  for (const auto& [column, value] : *entries) {
    InterpolationColumn one{column, 0, {}};
    if (value.IsNumber() && value.number >= 1) one.step = static_cast<size_t>(value.number);
    for (const Literal& item : value.items) {
      if (!item.IsNumber()) return configuration.Wrong(option, expected);
      one.values.push_back(item.number);
    }
    if (one.step == 0 && one.values.empty()) return configuration.Wrong(option, expected);
    columns.push_back(std::move(one));
  }
  return columns;
}

Status ReadValidation(Configuration& configuration, Campaign& campaign) {
  RECKON_ASSIGN(campaign.validation, ParseValidation(configuration));
  const auto selection = configuration.Find(kGeneral, "hp_selection");
  const std::string kinds = "All, HoldOut or KFold";
  if (!selection) return configuration.Missing(kGeneral, "hp_selection", kinds);
  const std::string& word = selection->value.text;
  if (word != "All" && word != "HoldOut" && word != "KFold") {
    return configuration.Wrong(*selection, kinds);
  }
  RECKON_ASSIGN(const auto share, configuration.Share(kGeneral, "hold_out_ratio"));
  RECKON_ASSIGN(const auto folds, configuration.Whole(kGeneral, "folds", 2));
  if (!share && (campaign.validation == Validation::kHoldOut || word == "HoldOut")) {
    return configuration.Missing(kGeneral, "hold_out_ratio", "the share of rows to hold out");
  }
  if (!folds && (campaign.validation == Validation::kKFold || word == "KFold")) {
    return configuration.Missing(kGeneral, "folds", "the number of folds");
  }
  campaign.hold_out_ratio = share.value_or(campaign.hold_out_ratio);
  campaign.folds = folds.value_or(campaign.folds);
  if (word == "HoldOut") campaign.selection_share = share;
  if (word == "All") {
    campaign.warnings.push_back(fmt::format(
        "{}: All would compare candidates on the rows they were fitted to, where the one that "
        "remembers most wins; they are compared by {} folds instead",
        configuration.Place(*selection), campaign.folds));
  }
  if (campaign.validation == Validation::kAll) {
    campaign.warnings.push_back(
        "validation = All: the validation error is that on the rows the models were fitted to, and "
        "says nothing about other rows");
  }
  if (campaign.validation == Validation::kExtrapolation) {
    RECKON_ASSIGN(campaign.extrapolation,
                  ReadBounds(configuration, kGeneral, "extrapolation_columns"));
    if (campaign.extrapolation.empty()) {
      return configuration.Missing(kGeneral, "extrapolation_columns",
                                   "columns with their bounds, such as {'cores': 16}");
    }
  } else {
    configuration.Find(kGeneral, "extrapolation_columns");
  }
  if (campaign.validation == Validation::kInterpolation) {
    RECKON_ASSIGN(campaign.interpolation, ReadInterpolation(configuration));
  } else {
    configuration.Find(kGeneral, "interpolation_columns");
  }
  return {};
}

Status ReadTuning(Configuration& configuration, Campaign& campaign) {
  auto option = configuration.Find(kGeneral, "hyperparameter_tuning");
  if (!option) option = configuration.Find(kGeneral, "HyperparameterTuning");
  RECKON_ASSIGN(const auto evaluations, configuration.Whole(kGeneral, "hyperopt_max_evals", 1));
  RECKON_ASSIGN(const auto interval, configuration.Whole(kGeneral, "hyperopt_save_interval", 0));
  const std::string word = option ? base::ToLower(option->value.text) : "";
  if (option && option->value.kind != Kind::kNone && word != "hyperopt" && word != "gridsearch" &&
      word != "grid" && word != "none") {
    return configuration.Wrong(*option, "Hyperopt, or no such option");
  }
  if (word != "hyperopt") return {};
  if (!evaluations) {
    return configuration.Missing(kGeneral, "hyperopt_max_evals", "the number of evaluations");
  }
  campaign.evaluations = evaluations;
  if (interval.value_or(0) != 0) {
    campaign.warnings.push_back(
        "[General] hyperopt_save_interval: a run that is stopped leaves nothing behind and begins "
        "anew; no checkpoints are kept");
  }
  return {};
}

Status ReadTechniques(Configuration& configuration, Campaign& campaign) {
  RECKON_ASSIGN(const auto names, configuration.Texts(kGeneral, "techniques"));
  const std::string expected = "a list such as ['LRRidge', 'XGBoost']";
  if (!names) return configuration.Missing(kGeneral, "techniques", expected);
  if (names->empty()) {
    return configuration.Wrong(*configuration.Find(kGeneral, "techniques"), expected);
  }
  for (const std::string& label : *names) {
    const auto same = [&](const TechniqueSection& known) { return known.label == label; };
    if (std::any_of(campaign.techniques.begin(), campaign.techniques.end(), same)) continue;
    TechniqueSection section{label, {}};
    for (ConfiguredOption& option : configuration.All(label)) {
      Hyperparameter parameter{option.name, {}, configuration.Place(option)};
      const bool list = option.value.kind == Kind::kList;
      if (list && option.value.items.empty()) {
        return configuration.Wrong(option, "at least one value");
      }
      if (list) parameter.values = std::move(option.value.items);
      if (!list) parameter.values = {std::move(option.value)};
      section.hyperparameters.push_back(std::move(parameter));
    }
    campaign.techniques.push_back(std::move(section));
  }
  return {};
}

// Sections of techniques that are not asked for are usual in configurations and no slips.
void PassOver(Configuration& configuration) {
  for (const KnownTechnique& known : KnownAutomlTechniques()) configuration.All(known.label);
  configuration.Find(kGeneral, "keep_temporary");
  configuration.Find(kGeneral, "keep_temporary_files");
  configuration.Find(kGeneral, "details");
  configuration.Find(kGeneral, "debug");
}

void WarnOfOverruled(Configuration& configuration, Campaign& campaign) {
  for (const char* name : {"seed", "j", "output", "configuration_file"}) {
    if (const auto option = configuration.Find(kGeneral, name)) {
      campaign.warnings.push_back(
          fmt::format("{} is not used; the command line says it", configuration.Place(*option)));
    }
  }
}

}  // namespace

Result<std::vector<std::pair<std::string, double>>> ReadBounds(Configuration& configuration,
                                                               const std::string& section,
                                                               const std::string& name) {
  const std::string expected = "columns with numbers as bounds, such as {'cores': 16}";
  std::vector<std::pair<std::string, double>> bounds;
  RECKON_ASSIGN(const auto entries, configuration.Dictionary(section, name, expected));
  if (!entries) return bounds;
  for (const auto& [column, bound] : *entries) {
    if (!bound.IsNumber()) {
      return configuration.Wrong(*configuration.Find(section, name), expected);
    }
    bounds.emplace_back(column, bound.number);
  }
  return bounds;
}

// All of them are split before the first is run.
constexpr size_t kMostRuns = 10000;

Result<Campaign> ReadCampaign(Configuration& configuration) {
  Campaign campaign;
  RECKON_ASSIGN(const auto target, configuration.Text(kGeneral, "y"));
  if (!target) return configuration.Missing(kGeneral, "y", "the name of the column to forecast");
  campaign.target = *target;
  RECKON_ASSIGN(const auto runs, configuration.Whole(kGeneral, "run_num", 1));
  campaign.runs = runs.value_or(1);
  if (campaign.runs > kMostRuns) {
    return base::BadInput(fmt::format("[General] run_num: expected at most {} runs, found {}",
                                      kMostRuns, campaign.runs));
  }
  RECKON_TRY(ReadTechniques(configuration, campaign));
  RECKON_TRY(ReadValidation(configuration, campaign));
  RECKON_TRY(ReadTuning(configuration, campaign));
  RECKON_ASSIGN(const auto plots, configuration.Truth(kGeneral, "generate_plots"));
  campaign.plots = plots.value_or(false);
  RECKON_TRY(ReadPreparation(configuration, campaign));
  RECKON_TRY(ReadSelection(configuration, campaign));
  WarnOfOverruled(configuration, campaign);
  PassOver(configuration);
  for (const std::string& place : configuration.Unused()) {
    campaign.warnings.push_back(place + " is not known and has no effect");
  }
  return campaign;
}

}  // namespace reckon::app
