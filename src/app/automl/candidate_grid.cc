#include "app/automl/candidate_grid.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "app/automl/prior.h"
#include "app/automl/technique_names.h"
#include "base/check.h"
#include "base/text.h"
#include "learn/regressors/registry.h"

namespace reckon::app {
namespace {

using base::Result;
using base::Status;
using learn::Candidate;
using learn::CandidateGroup;

constexpr size_t kMostCandidates = 100000;
constexpr double kSvrRows = 3000;  // training is cubic in them

// What tells candidates of one technique apart, without the settings named in `but`.
std::string KeyOf(const NamedCandidate& named, const std::vector<std::string>& but) {
  std::string key = named.label;
  const bool nothing = std::find(but.begin(), but.end(), "*") != but.end();
  for (const auto& [name, value] : named.candidate.settings) {
    if (nothing || std::find(but.begin(), but.end(), name) != but.end()) continue;
    key += fmt::format(" {}={}", name, base::RoundTrip(value));
  }
  for (const auto& [name, word] : named.candidate.words) key += fmt::format(" {}={}", name, word);
  return key;
}

// A value to try: a point, or a prior to draw from.
struct Choice {
  Literal point;
  std::optional<Prior> prior;
};

struct Dimension {
  const KnownHyperparameter* known = nullptr;
  std::vector<Choice> choices;
  std::string place;
  bool configured = false;
};

class TechniqueExpander {
 public:
  TechniqueExpander(const Campaign& campaign, const TechniqueSection& section,
                    const KnownTechnique& known, CandidateGrid& grid)
      : campaign_(campaign), section_(section), known_(known), grid_(grid) {}

  Status Expand(const learn::FeatureOptions& features, const PenaltyUnits& units, base::Rng rng) {
    RECKON_TRY(MakeDimensions());
    if (section_.hyperparameters.empty()) {
      grid_.warnings.push_back(
          fmt::format("[{0}] says no hyperparameters; {0} has its usual ones", section_.label));
    }
    size_t combinations = 1;
    for (const Dimension& dimension : dimensions_) {
      combinations *= dimension.choices.size();
      if (combinations > kMostCandidates) return TooMany();
    }
    for (size_t number = 0; number < combinations; ++number) {
      RECKON_TRY(AddCombination(number, features, units, rng.Fork(number)));
    }
    return {};
  }

 private:
  base::Error TooMany() const {
    return base::BadInput(
        fmt::format("[{}] asks for more than {} candidates", section_.label, kMostCandidates));
  }

  void WarnOnce(const std::string& warning) {
    auto& all = grid_.warnings;
    if (std::find(all.begin(), all.end(), warning) == all.end()) all.push_back(warning);
  }

  Status MakeDimensions() {
    for (const KnownHyperparameter& known : known_.hyperparameters) {
      const auto configured =
          std::find_if(section_.hyperparameters.begin(), section_.hyperparameters.end(),
                       [&](const Hyperparameter& one) { return one.name == known.name; });
      Dimension dimension{&known, {}, section_.label, false};
      if (configured == section_.hyperparameters.end()) {
        dimension.choices.push_back({ParseLiteral(known.usual).value(), std::nullopt});
      } else {
        dimension.place = configured->place;
        dimension.configured = true;
        for (const Literal& value : configured->values) RECKON_TRY(AddChoice(value, dimension));
        if (dimension.choices.empty()) {
          return base::BadInput(
              fmt::format("{}: none of its values is available", dimension.place));
        }
      }
      dimensions_.push_back(std::move(dimension));
    }
    for (const Hyperparameter& parameter : section_.hyperparameters) {
      if (known_.Find(parameter.name) != nullptr) continue;
      grid_.warnings.push_back(parameter.place + " is not known and has no effect");
    }
    return {};
  }

  Status AddChoice(const Literal& value, Dimension& dimension) {
    auto prior = ParsePrior(value.text);
    if (!prior.ok()) return std::move(prior).error().Wrap(dimension.place);
    if (*prior) {
      if (!campaign_.evaluations) {
        return base::BadInput(fmt::format(
            "{}: '{}' is a prior, which needs hyperparameter_tuning = Hyperopt in [General]",
            dimension.place, value.text));
      }
      dimension.choices.push_back({{}, std::move(*prior)});
      return {};
    }
    // Tried on a candidate of no use, so that values are checked before anything is drawn.
    Candidate trial;
    auto set = SetHyperparameter(*dimension.known, value, {}, trial);
    if (!set.ok() && set.error().code() == base::ErrorCode::kUnavailable) {
      WarnOnce(fmt::format("{}: {} and left out", dimension.place, set.error().message()));
      return {};
    }
    if (!set.ok()) return std::move(set).error().Wrap(dimension.place);
    dimension.choices.push_back({value, std::nullopt});
    return {};
  }

  Status AddCombination(size_t number, const learn::FeatureOptions& features,
                        const PenaltyUnits& units, const base::Rng& rng) {
    std::vector<const Choice*> picked;
    size_t priors = 0;
    for (const Dimension& dimension : dimensions_) {
      picked.push_back(&dimension.choices[number % dimension.choices.size()]);
      number /= dimension.choices.size();
      if (picked.back()->prior) ++priors;
    }
    const size_t draws = priors == 0 ? 1 : *campaign_.evaluations;
    if (grid_.candidates.size() + draws > kMostCandidates) return TooMany();
    const std::vector<std::vector<double>> quantiles = LatinHypercube(draws, priors, rng);
    for (size_t draw = 0; draw < draws; ++draw) {
      size_t prior = 0;
      std::vector<Literal> values;
      for (const Choice* choice : picked) {
        values.push_back(choice->prior ? choice->prior->At(quantiles[draw][prior++])
                                       : choice->point);
      }
      RECKON_TRY(AddCandidate(values, features, units));
    }
    return {};
  }

  Status AddCandidate(const std::vector<Literal>& values, const learn::FeatureOptions& features,
                      const PenaltyUnits& units) {
    NamedCandidate named;
    named.label = section_.label;
    named.candidate.technique = known_.ours;
    named.candidate.features = features;
    if (named.candidate.technique == "svr") named.candidate.settings["most_rows"] = kSvrRows;
    std::vector<std::string> parts;
    for (size_t i = 0; i < values.size(); ++i) {
      const Dimension& dimension = dimensions_[i];
      auto set = SetHyperparameter(*dimension.known, values[i], units, named.candidate);
      if (!set.ok() && set.error().code() == base::ErrorCode::kUnavailable) {
        // Only a prior that draws among named values gets here.
        WarnOnce(fmt::format("{}: {} and left out", dimension.place, set.error().message()));
        return {};
      }
      if (!set.ok()) return std::move(set).error().Wrap(dimension.place);
      parts.push_back(fmt::format("{}={}", dimension.known->name, LiteralText(values[i])));
    }
    named.hyperparameters = base::Join(parts, ", ");
    // Whole-numbered priors draw the same point more than once.
    if (seen_.insert(KeyOf(named, {})).second) grid_.candidates.push_back(std::move(named));
    return {};
  }

  const Campaign& campaign_;
  const TechniqueSection& section_;
  const KnownTechnique& known_;
  CandidateGrid& grid_;
  std::vector<Dimension> dimensions_;
  std::set<std::string> seen_;
};

// Candidates that agree in all but what `shared` allows form a group, in the order of their first.
std::vector<CandidateGroup> Group(const std::vector<NamedCandidate>& candidates) {
  std::vector<CandidateGroup> groups;
  std::map<std::string, size_t> group_of;
  for (const NamedCandidate& named : candidates) {
    const auto known = FindAutomlTechnique(named.label);
    const std::vector<std::string> shared =
        known.ok() ? (*known)->shared : std::vector<std::string>{"*"};
    const auto [at, is_new] = group_of.try_emplace(KeyOf(named, shared), groups.size());
    if (is_new) groups.emplace_back();
    groups[at->second].push_back(named.candidate);
  }
  return groups;
}

// Ernest's features are weighed by Ernest's law, whatever technique was to weigh them.
Result<CandidateGrid> ErnestCandidates(const learn::Dataset& data) {
  CandidateGrid grid;
  for (const char* column : {"cores", "datasize"}) {
    auto found = data.schema.FindInput(column);
    if (!found.ok()) return std::move(found).error().Wrap("[DataPreparation] ernest");
  }
  for (const bool relative : {false, true}) {
    if (relative && data.y.minCoeff() <= 0) continue;
    grid.candidates.push_back({{.technique = "ernest",
                                .features = {.raw = true, .inverse = true, .log = true},
                                .settings = {{"levels", 0}, {"relative", relative ? 1 : 0}}},
                               "Ernest",
                               relative ? "errors=relative" : "errors=absolute"});
  }
  grid.groups = Group(grid.candidates);
  grid.warnings.emplace_back(
      "[DataPreparation] ernest: Ernest's law of 'datasize' and 'cores' is fitted, with weights "
      "that "
      "are not negative, in place of the techniques listed");
  return grid;
}

}  // namespace

const NamedCandidate& CandidateGrid::NameOf(const Candidate& candidate) const {
  const auto at =
      std::find_if(candidates.begin(), candidates.end(), [&](const NamedCandidate& one) {
        return one.candidate.technique == candidate.technique &&
               one.candidate.settings == candidate.settings &&
               one.candidate.words == candidate.words;
      });
  RECKON_CHECK(at != candidates.end());
  return *at;
}

std::string CandidateGrid::LabelOf(const std::string& technique) const {
  for (const NamedCandidate& named : candidates) {
    if (named.candidate.technique == technique) return named.label;
  }
  return technique;
}

Result<CandidateGrid> MakeCandidates(const Campaign& campaign,
                                     const learn::FeatureOptions& features,
                                     const learn::Dataset& data, base::Rng rng) {
  if (campaign.preparation.ernest) return ErnestCandidates(data);
  CandidateGrid grid;
  PenaltyUnits units;
  units.rows = static_cast<double>(data.rows());
  for (size_t t = 0; t < campaign.techniques.size(); ++t) {
    const TechniqueSection& section = campaign.techniques[t];
    auto known = FindAutomlTechnique(section.label);
    if (!known.ok()) return std::move(known).error().Wrap("[General] techniques");
    const std::string ours = (*known)->ours;
    if (ours.empty() || !learn::FindTechnique(ours).ok()) {
      grid.warnings.push_back(
          fmt::format("technique '{}' is not available and left out", section.label));
      continue;
    }
    RECKON_TRY(
        TechniqueExpander(campaign, section, **known, grid).Expand(features, units, rng.Fork(t)));
  }
  if (grid.candidates.empty()) {
    return base::BadInput("[General] techniques: none of them is available");
  }
  grid.groups = Group(grid.candidates);
  return grid;
}

}  // namespace reckon::app
