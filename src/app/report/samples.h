// What a campaign has left in the store: its runs, and their rows.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "app/campaigns/history.h"
#include "app/campaigns/pace_effect.h"
#include "app/context.h"
#include "base/json.h"
#include "core/table.h"

namespace reckon::app {

struct CampaignSamples {
  core::Campaign campaign;
  base::Json document;  // as its file described it
  std::string target;
  History history;
  // Rows of the campaign's own runs that were neither disturbed nor broken off.
  core::Table runs;
  core::Table epochs;
  core::Table nodes;
  size_t left_out = 0;  // rows of NAME.runs that were
  // Times of `runs` and `epochs` are as they would have been at the usual pace of processors, where
  // repeats tell what it does; by column. What history holds is as measured.
  std::vector<PaceEffect> pace;
};

// kNotFound: no such campaign, with the nearest name. kBadInput: it has measured nothing.
base::Result<CampaignSamples> LoadCampaignSamples(const std::string& name, const Context& context);

// The column of numbers of that name, or nullptr.
const core::Column* NumbersIn(const core::Table& table, const std::string& name);
// A cell of it; `other` where there is none.
double NumberAt(const core::Table& table, const std::string& name, size_t row, double other);
// Its distinct values, ascending; none when there is no such column.
std::vector<double> ValuesIn(const core::Table& table, const std::string& name);
// Whether the column has more than one value, missing cells apart.
bool Differs(const core::Table& table, const std::string& name);

// Inputs and `target` alone, of the rows that have a target above 0: what a model is learned from.
core::Table ForLearning(const core::Table& samples, const std::string& target);
// The runs that these rows are of, one a row.
std::vector<size_t> RunsForLearning(const core::Table& samples, const std::string& target);

}  // namespace reckon::app
