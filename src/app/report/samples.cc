#include "app/report/samples.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/campaigns/repeat_noise.h"
#include "app/data.h"
#include "app/runs/run_samples.h"
#include "base/text.h"

namespace reckon::app {
namespace {

using base::Result;

Result<core::Campaign> FindCampaign(store::Store& store, const std::string& name) {
  RECKON_ASSIGN(const std::vector<core::Campaign> campaigns, store.ListCampaigns());
  std::vector<std::string> names;
  for (const core::Campaign& campaign : campaigns) {
    if (campaign.name == name) return campaign;
    names.push_back(campaign.name);
  }
  if (names.empty()) {
    return base::Error(base::ErrorCode::kNotFound,
                       fmt::format("campaign '{}' is unknown: the store holds none; 'reckon "
                                   "profile CAMPAIGN.yaml' measures one",
                                   name));
  }
  return base::Error(base::ErrorCode::kNotFound, fmt::format("campaign '{}' is unknown{}", name,
                                                             base::SuggestFrom(name, names)));
}

// The rows of the campaign's runs that measure a whole job; the others are counted in `left_out`.
Result<core::Table> LoadOwnRows(store::Store& store, const std::string& set,
                                const std::map<int64_t, std::string>& points, size_t& left_out) {
  RECKON_ASSIGN(const auto sets, store.ListSampleSets());
  const bool known = std::any_of(sets.begin(), sets.end(),
                                 [&](const core::SampleSet& one) { return one.name == set; });
  left_out = 0;
  if (!known) return core::Table{};
  RECKON_ASSIGN(const core::Table table, store.LoadSamples(set));
  const core::Column* run = NumbersIn(table, "run");
  std::vector<size_t> rows;
  for (size_t row = 0; run != nullptr && row < table.row_count; ++row) {
    if (std::isnan((*run)[row]) || !points.contains(std::llround((*run)[row]))) continue;
    if (IsBlemished(table, row)) {
      ++left_out;
    } else {
      rows.push_back(row);
    }
  }
  core::Table own = table.Select(rows);
  FillAbsentLoads(own);
  return own;
}

}  // namespace

Result<CampaignSamples> LoadCampaignSamples(const std::string& name, const Context& context) {
  CampaignSamples samples;
  RECKON_ASSIGN(const auto store, OpenStore(context, false));
  RECKON_ASSIGN(samples.campaign, FindCampaign(*store, name));
  RECKON_ASSIGN(samples.document,
                base::ParseJson(samples.campaign.document, "document of a campaign"));
  samples.target = samples.document.value("target", "training_loop_s");
  RECKON_ASSIGN(samples.history, LoadHistory(*store, samples.campaign, samples.target, context));
  const auto points = PointsByRun(samples.history);
  const auto sets = SampleSetsOf(name);
  size_t rows_of_the_same_runs = 0;
  RECKON_ASSIGN(samples.runs, LoadOwnRows(*store, sets[0], points, samples.left_out));
  RECKON_ASSIGN(samples.epochs, LoadOwnRows(*store, sets[1], points, rows_of_the_same_runs));
  RECKON_ASSIGN(samples.nodes, LoadOwnRows(*store, sets[2], points, rows_of_the_same_runs));
  samples.pace = AdjustToUsualPace(samples.history, samples.runs, &samples.epochs);
  AdjustToUsualPace(samples.history, samples.nodes);
  if (samples.runs.row_count > 0) return samples;
  if (samples.left_out > 0) {
    return base::BadInput(
        fmt::format("campaign '{}' has no undisturbed measurement: {} left out, since others kept "
                    "the machine busy or workers were lost",
                    name, base::Count(samples.left_out, "run")));
  }
  return base::BadInput(fmt::format(
      "campaign '{}' has measured nothing yet; 'reckon profile' goes on with it", name));
}

const core::Column* NumbersIn(const core::Table& table, const std::string& name) {
  const auto found = table.Find(name);
  if (!found || table.columns[*found].kind() != core::ColumnKind::kNumber) return nullptr;
  return &table.columns[*found];
}

double NumberAt(const core::Table& table, const std::string& name, size_t row, double other) {
  const core::Column* column = NumbersIn(table, name);
  return column == nullptr || std::isnan((*column)[row]) ? other : (*column)[row];
}

std::vector<double> ValuesIn(const core::Table& table, const std::string& name) {
  std::set<double> values;
  if (const core::Column* column = NumbersIn(table, name)) {
    for (size_t row = 0; row < column->size(); ++row) {
      if (!std::isnan((*column)[row])) values.insert((*column)[row]);
    }
  }
  return {values.begin(), values.end()};
}

bool Differs(const core::Table& table, const std::string& name) {
  const auto found = table.Find(name);
  if (!found) return false;
  std::optional<double> first;
  for (size_t row = 0; row < table.row_count; ++row) {
    const double cell = table.columns[*found][row];
    if (std::isnan(cell)) continue;
    if (first && *first != cell) return true;
    first = cell;
  }
  return false;
}

namespace {

std::vector<size_t> RowsWith(const core::Table& samples, const std::string& target) {
  const core::Column* column = NumbersIn(samples, target);
  std::vector<size_t> rows;
  for (size_t row = 0; column != nullptr && row < samples.row_count; ++row) {
    if ((*column)[row] > 0) rows.push_back(row);
  }
  return rows;
}

}  // namespace

std::vector<size_t> RunsForLearning(const core::Table& samples, const std::string& target) {
  std::vector<size_t> runs;
  for (const size_t row : RowsWith(samples, target)) {
    runs.push_back(static_cast<size_t>(NumberAt(samples, "run", row, 0)));
  }
  return runs;
}

core::Table ForLearning(const core::Table& samples, const std::string& target) {
  core::Table table = samples.Select(RowsWith(samples, target));
  std::erase_if(table.columns, [&](const core::Column& one) {
    return one.name() != target && !IsRunInputOf(target, one.name());
  });
  return table;
}

}  // namespace reckon::app
