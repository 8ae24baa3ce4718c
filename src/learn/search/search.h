// The search for the model that answers the question asked.
#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/progress.h"
#include "learn/search/contender.h"
#include "learn/search/presets.h"

namespace reckon::learn {

struct SearchOptions {
  Question question;
  RoleNames roles;
  std::vector<std::string> techniques;  // empty: all
  Restrictions restrictions;
  std::string preset;                // PresetNames; empty: none
  std::optional<Preset> candidates;  // a list of the caller's own, instead of a named one
  uint64_t seed = 1;
  size_t repeats = 1;  // fits of the best with different seeds
  size_t jobs = 1;
};

struct SearchOutcome {
  std::vector<Contender> contenders;  // the blend, if any, then by selection error, best first
  bool practised_beyond = false;      // they were compared on rows beyond what they had seen
  std::vector<std::string> notes;
};

// Tries every candidate on the inner splits (Compare: those far behind after the first are spared
// the others, unless a list was given), takes the best of each technique by SelectionScore, and
// fits it to all rows. Uses nothing but `data`, so a row held out by the caller cannot leak in.
// Above kSelectionRows rows, candidates are compared on a random part of that many rows. The same
// seed gives the same outcome for any `jobs`. kBadInput when a named technique does not apply,
// kInterrupted on stop.
base::Result<SearchOutcome> Search(const Dataset& data, const SearchOptions& options,
                                   const std::stop_token& stop, base::Progress& progress);

inline constexpr size_t kSelectionRows = 20000;

}  // namespace reckon::learn
