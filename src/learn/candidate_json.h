// Candidates and ranges in model files.
#pragma once

#include "base/json.h"
#include "learn/candidate.h"
#include "learn/search/fitted.h"

namespace reckon::learn {

base::Json CandidateToJson(const Candidate& candidate);
// kCorrupt when a field is missing or of another kind.
base::Result<Candidate> CandidateFromJson(const base::Json& json);

base::Json RangeToJson(const TargetRange& range);
base::Result<TargetRange> RangeFromJson(const base::Json& json);

}  // namespace reckon::learn
