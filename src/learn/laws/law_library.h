// The laws that people have found for distributed training, each described by the terms it is made
// of. A new law is a new entry of LawLibrary.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "learn/candidate.h"
#include "learn/features/roles.h"
#include "learn/laws/scaling_law.h"
#include "learn/question.h"

namespace reckon::learn {

using LawSettings = Settings;

// What a law's terms are made from.
struct LawSource {
  const Dataset& data;
  const Roles& roles;
  const Question& question;
};

struct LawDescription {
  std::string_view name;
  std::string_view summary;
  std::string_view requirement;
  // Columns that must be there, be positive and vary.
  std::vector<std::optional<size_t> Roles::*> needs;
  // Those that need not vary: what they do is known beforehand.
  std::vector<std::optional<size_t> Roles::*> known_powers = {};
  bool overlaps = false;  // computing and exchanging may overlap: g is fitted
  // Takes part in a search beyond the range when nobody names techniques. Those that know no more
  // than workers made blends slightly worse: sums of power laws already bend as they do.
  bool by_default = false;
  bool inside_too = false;  // and in those inside the range
  // Also tried with what corrects it (law_correction.h).
  bool corrected = false;
  // The ways to read the columns, and to fit ("overlaps", "recency" as in regressors/powers.h);
  // each is tried. None: the law does not apply.
  std::vector<LawSettings> (*variants)(const LawSource& source);
  std::vector<LawTerm> (*terms)(const LawSource& source, const LawSettings& settings);
};

const std::vector<LawDescription>& LawLibrary();

// The roles that the law can use in this data: positive columns that vary, each in one role. Nodes
// need not vary: a law keeps the parameters that no row tells.
Roles UsableRoles(const LawDescription& law, const Schema& schema, Roles roles);

}  // namespace reckon::learn
