// Designs of experiments: what a campaign of measurements should measure next.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "core/table.h"

namespace reckon::decide {

// One measurement of a candidate; a candidate may have several.
struct Measurement {
  size_t row = 0;      // of DesignProblem::candidates
  double seconds = 0;  // what is forecast, > 0
  double took_s = 0;   // how long it took to measure, > 0; 0: `seconds`
};

// All that a choice depends on. The table must outlive the call.
struct DesignProblem {
  const core::Table& candidates;       // columns of inputs alone, a row each
  std::vector<double> price_per_hour;  // of each candidate, > 0; empty: time is what counts
  std::vector<Measurement> measured;   // in the order in which they were made
  std::vector<size_t> excluded;        // rows that failed or must not be measured
  size_t repeats = 1;                  // how often a candidate may be measured
  // What may still be spent on the next measurement: a design that knows what to expect leaves out
  // what should not fit.
  std::optional<double> time_left_s = {};
  std::optional<double> cost_left = {};
};

struct DesignChoice {
  size_t row = 0;
  double expected_s = 0;     // how long measuring it should take; 0: nothing is known yet
  double expected_cost = 0;  // in the currency of the prices; 0 without prices
  std::string why;           // in words, for reports
  bool again = false;        // a repeat, since what was measured there is not believed
};

enum class DesignKind { kGrid, kRandom, kOptimal };
enum class Criterion { kA, kD };

base::Result<DesignKind> ParseDesignKind(const std::string& name);  // "grid", "random", "optimal"
base::Result<Criterion> ParseCriterion(const std::string& name);    // "a", "d"
const char* DesignKindName(DesignKind kind);

struct DesignOptions {
  DesignKind kind = DesignKind::kOptimal;
  Criterion criterion = Criterion::kA;
  uint64_t seed = 1;
};

// The same problem and seed give the same choice; what a design keeps between calls only saves
// time. Not thread-safe.
class Design {
 public:
  virtual ~Design() = default;
  // nullopt: every candidate is measured, excluded or too long for what is left. kBadInput for a
  // problem that makes no sense: no candidates, rows that do not exist, times or prices that are
  // not above 0.
  virtual base::Result<std::optional<DesignChoice>> Next(const DesignProblem& problem) = 0;
};

std::unique_ptr<Design> MakeDesign(const DesignOptions& options);

// kBadInput as of Design::Next.
base::Status CheckProblem(const DesignProblem& problem);

// Of the rows that may still be measured those measured least often, ascending: all of them once
// before any of them twice.
std::vector<size_t> NextRows(const DesignProblem& problem);

}  // namespace reckon::decide
