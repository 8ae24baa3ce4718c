#include "decide/recommend/belief.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include "numeric/normal.h"

namespace reckon::decide {
namespace {

using Index = Eigen::Index;

// With n times as many processors n^-0.7 of the time. A guess, as the other constants here: none of
// them was fitted to anything (docs/recommend.md has what they come to).
constexpr double kScaling = 0.7;
constexpr int kRounds = 3;            // of filling in what was cut short
constexpr double kSizeHelps = 0.7;    // on the scale where success is 1 and failure -1
constexpr double kLeastDoubt = 0.15;  // deviation of log time
constexpr double kLeastCount = 0.02;  // what was filled in still says something

bool Names(const std::string& name, std::initializer_list<const char*> words) {
  std::string lower;
  for (const char c : name) lower += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return std::any_of(words.begin(), words.end(),
                     [&](const char* word) { return lower.find(word) != std::string::npos; });
}

// The column that counts machines, and those that tell what one of them has.
struct MachineColumns {
  std::optional<size_t> count;
  std::vector<size_t> processors;
  std::vector<size_t> memory;
};

MachineColumns FindMachineColumns(const core::Table& table) {
  MachineColumns found;
  for (size_t i = 0; i < table.columns.size(); ++i) {
    const core::Column& column = table.columns[i];
    if (column.kind() != core::ColumnKind::kNumber) continue;
    if (Names(column.name(), {"cpu", "core"})) {
      found.processors.push_back(i);
    } else if (Names(column.name(), {"mem", "ram"})) {
      found.memory.push_back(i);
    } else if (!found.count && Names(column.name(), {"worker", "node", "machine", "instance"})) {
      found.count = i;
    }
  }
  return found;
}

// The configurations with what all machines have together: jobs see the whole before its parts.
core::Table WithTotals(const core::Table& table, const MachineColumns& machine) {
  core::Table wider = table;
  if (!machine.count) return wider;
  for (const auto* columns : {&machine.processors, &machine.memory}) {
    for (const size_t index : *columns) {
      std::vector<double> totals;
      for (size_t row = 0; row < table.row_count; ++row) {
        totals.push_back(table.columns[index][row] * table.columns[*machine.count][row]);
      }
      wider.columns.push_back(core::Column::Numbers("total " + table.columns[index].name(),
                                                    core::NumberVector::Of(totals)));
    }
  }
  return wider;
}

Vector LawOf(const core::Table& table, const MachineColumns& machine) {
  Vector law = Vector::Zero(static_cast<Index>(table.row_count));
  const auto add = [&](size_t column) {
    for (size_t row = 0; row < table.row_count; ++row) {
      const double value = table.columns[column][row];
      if (value > 0) law(static_cast<Index>(row)) -= kScaling * std::log(value);
    }
  };
  if (machine.count) add(*machine.count);
  if (!machine.processors.empty()) add(machine.processors.front());
  return law;
}

Observed ObservedOf(const std::vector<Trial>& tried) {
  Observed observed;
  const auto size = static_cast<Index>(tried.size());
  observed.log_seconds.resize(size);
  observed.count = Vector::Ones(size);
  for (const Trial& trial : tried) observed.rows.push_back(trial.row);
  return observed;
}

}  // namespace

Believer::Believer(const core::Table& configurations, uint64_t seed)
    : space_(MakeSpace(WithTotals(configurations, FindMachineColumns(configurations)))),
      law_(LawOf(configurations, FindMachineColumns(configurations))),
      size_((law_.mean() - law_.array()).matrix()),
      rng_(seed) {
  const double spread = std::sqrt(size_.squaredNorm() / static_cast<double>(size_.size()));
  if (spread > 0) size_ /= spread;
}

base::Result<Surrogate> Believer::TimeModel(const std::vector<Trial>& tried) const {
  Observed observed = ObservedOf(tried);
  Vector bound(observed.log_seconds.size());
  for (Index i = 0; i < bound.size(); ++i) {
    const Trial& trial = tried[static_cast<size_t>(i)];
    bound(i) = std::log(trial.seconds) - law_(static_cast<Index>(trial.row));
  }
  observed.log_seconds = bound;
  observed.log_took = bound;
  const bool cut =
      std::any_of(tried.begin(), tried.end(), [](const Trial& one) { return !one.ok; });
  for (int round = 0;; ++round) {
    const LogKernel kernel = ChooseKernel(space_, observed, rng_);
    RECKON_ASSIGN(Surrogate model, Surrogate::Condition(space_, kernel, observed));
    if (!cut || round == kRounds || tried.size() < 2) return model;
    const Surrogate::LeftOut left = model.LeaveOneOut();
    for (Index i = 0; i < bound.size(); ++i) {
      if (tried[static_cast<size_t>(i)].ok) continue;
      const double mean = observed.log_seconds(i) - left.residual(i);
      const double deviation = left.deviation(i);
      const numeric::UpperTail tail = numeric::NormalUpperTail((bound(i) - mean) / deviation);
      observed.log_seconds(i) = mean + deviation * tail.mean;
      const double variance = deviation * deviation * tail.variance;
      observed.count(i) = std::max(kLeastCount, kernel.noise / (kernel.noise + variance));
    }
  }
}

// Success is 1, failure -1, both less what the size of the cluster makes of it.
base::Result<Surrogate> Believer::SuccessModel(const std::vector<Trial>& tried) const {
  Observed observed = ObservedOf(tried);
  for (size_t i = 0; i < tried.size(); ++i) {
    observed.log_seconds(static_cast<Index>(i)) =
        (tried[i].ok ? 1 : -1) - kSizeHelps * size_(static_cast<Index>(tried[i].row));
  }
  observed.log_took = observed.log_seconds;
  LogKernel kernel = ChooseKernel(space_, observed, rng_);
  return Surrogate::Condition(space_, std::move(kernel), std::move(observed));
}

base::Result<Belief> Believer::Believe(const std::vector<Trial>& tried) const {
  std::vector<size_t> rows(static_cast<size_t>(law_.size()));
  for (size_t i = 0; i < rows.size(); ++i) rows[i] = i;
  RECKON_ASSIGN(const Surrogate time, TimeModel(tried));
  const Surrogate::View times = time.Look(rows);
  Belief belief;
  belief.log_seconds = times.log_seconds + law_;
  // Few trials make a process too sure of itself: its parameters are guesses, too.
  belief.deviation =
      (times.variance.array() + time.kernel().noise + kLeastDoubt * kLeastDoubt).sqrt();
  RECKON_ASSIGN(const Surrogate success, SuccessModel(tried));
  const Surrogate::View view = success.Look(std::move(rows));
  belief.ok.resize(law_.size());
  for (Index i = 0; i < law_.size(); ++i) {
    const double spread = std::sqrt(view.variance(i) + success.kernel().noise);
    const double latent = view.log_seconds(i) + kSizeHelps * size_(i);
    belief.ok(i) = numeric::NormalBelow(latent / std::max(spread, 1e-6));
  }
  for (const Trial& trial : tried) belief.ok(static_cast<Index>(trial.row)) = trial.ok ? 1 : 0;
  return belief;
}

}  // namespace reckon::decide
