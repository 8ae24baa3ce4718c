#include "decide/design/design.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "base/rng.h"
#include "base/text.h"
#include "decide/design/optimal_design.h"

namespace reckon::decide {
namespace {

constexpr std::array<const char*, 3> kKindNames{"grid", "random", "optimal"};

bool IsPositive(double value) { return std::isfinite(value) && value > 0; }

// What a choice without a model can say.
DesignChoice PlainChoice(size_t row, const char* why) { return {.row = row, .why = why}; }

// Rows in their order.
class GridDesign final : public Design {
 public:
  base::Result<std::optional<DesignChoice>> Next(const DesignProblem& problem) override {
    RECKON_TRY(CheckProblem(problem));
    const std::vector<size_t> next = NextRows(problem);
    if (next.empty()) return std::optional<DesignChoice>();
    return std::optional(PlainChoice(next.front(), "the next of the grid"));
  }
};

class RandomDesign final : public Design {
 public:
  explicit RandomDesign(uint64_t seed) : rng_(seed) {}

  base::Result<std::optional<DesignChoice>> Next(const DesignProblem& problem) override {
    RECKON_TRY(CheckProblem(problem));
    const std::vector<size_t> next = NextRows(problem);
    if (next.empty()) return std::optional<DesignChoice>();
    base::Rng draw = rng_.Fork(problem.measured.size() + problem.excluded.size());
    return std::optional(PlainChoice(next[draw.Below(next.size())], "drawn at random"));
  }

 private:
  base::Rng rng_;
};

}  // namespace

base::Result<DesignKind> ParseDesignKind(const std::string& name) {
  const auto found = std::find(kKindNames.begin(), kKindNames.end(), name);
  if (found != kKindNames.end()) return static_cast<DesignKind>(found - kKindNames.begin());
  return base::BadInput(fmt::format("unknown design '{}'; expected grid, random or optimal", name));
}

base::Result<Criterion> ParseCriterion(const std::string& name) {
  const std::string lower = base::ToLower(name);
  if (lower == "a") return Criterion::kA;
  if (lower == "d") return Criterion::kD;
  return base::BadInput(fmt::format("unknown criterion '{}'; expected a or d", name));
}

const char* DesignKindName(DesignKind kind) { return kKindNames[static_cast<size_t>(kind)]; }

std::unique_ptr<Design> MakeDesign(const DesignOptions& options) {
  switch (options.kind) {
    case DesignKind::kGrid:
      return std::make_unique<GridDesign>();
    case DesignKind::kRandom:
      return std::make_unique<RandomDesign>(options.seed);
    case DesignKind::kOptimal:
      break;
  }
  return std::make_unique<OptimalDesign>(options);
}

base::Status CheckProblem(const DesignProblem& problem) {
  const size_t rows = problem.candidates.row_count;
  if (rows == 0) return base::BadInput("no candidates to measure");
  if (!problem.price_per_hour.empty()) {
    if (problem.price_per_hour.size() != rows) {
      return base::BadInput(fmt::format("{} prices for {}", problem.price_per_hour.size(),
                                        base::Count(rows, "candidate")));
    }
    for (size_t row = 0; row < rows; ++row) {
      if (IsPositive(problem.price_per_hour[row])) continue;
      return base::BadInput(fmt::format("{}: price {}, expected one above 0",
                                        problem.candidates.Place(row),
                                        problem.price_per_hour[row]));
    }
  }
  for (const Measurement& measurement : problem.measured) {
    if (measurement.row >= rows) {
      return base::BadInput(fmt::format("measured row {} of {} candidates", measurement.row, rows));
    }
    if (IsPositive(measurement.seconds) && std::isfinite(measurement.took_s) &&
        measurement.took_s >= 0) {
      continue;
    }
    return base::BadInput(fmt::format("{}: measured {} s, expected a time above 0",
                                      problem.candidates.Place(measurement.row),
                                      measurement.seconds));
  }
  for (const size_t row : problem.excluded) {
    if (row < rows) continue;
    return base::BadInput(fmt::format("excluded row {} of {} candidates", row, rows));
  }
  return {};
}

std::vector<size_t> NextRows(const DesignProblem& problem) {
  std::vector<size_t> times(problem.candidates.row_count);
  for (const Measurement& measurement : problem.measured) ++times[measurement.row];
  for (const size_t row : problem.excluded) times[row] = problem.repeats;
  std::vector<size_t> next;
  size_t fewest = problem.repeats;
  for (size_t row = 0; row < times.size(); ++row) {
    if (times[row] < fewest) {
      fewest = times[row];
      next.clear();
    }
    if (times[row] == fewest && fewest < problem.repeats) next.push_back(row);
  }
  return next;
}

}  // namespace reckon::decide
