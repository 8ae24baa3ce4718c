#include "app/automl/campaign_data.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "base/text.h"
#include "learn/features/feature_text.h"

namespace reckon::app {
namespace {

namespace fs = std::filesystem;

using base::BadInput;
using base::Result;
using base::Status;

Result<std::string> FindTable(const std::string& path, const std::string& configuration_file) {
  std::error_code ignored;
  if (fs::exists(path, ignored)) return path;
  const fs::path beside = fs::path(configuration_file).parent_path() / path;
  if (fs::exists(beside, ignored)) return beside.string();
  return base::Error(base::ErrorCode::kNotFound,
                     fmt::format("{}: [DataPreparation] input_path '{}': no such file in the "
                                 "working folder, nor beside the configuration",
                                 configuration_file, path));
}

Result<size_t> FindColumn(const core::Table& table, const std::string& name,
                          const std::string& option) {
  const auto at = table.Find(name);
  if (at) return *at;
  return BadInput(fmt::format("{}: '{}' is no column of {}{}", option, name, table.source,
                              base::SuggestFrom(name, table.Names())));
}

core::Column Renamed(const core::Column& column, const std::string& name) {
  std::vector<double> cells;
  for (size_t row = 0; row < column.size(); ++row) cells.push_back(column[row]);
  core::NumberVector numbers = core::NumberVector::Of(cells);
  if (column.kind() == core::ColumnKind::kNumber) {
    return core::Column::Numbers(name, std::move(numbers));
  }
  return core::Column::Categories(name, column.levels(), std::move(numbers));
}

Status Rename(const DataPreparation& preparation, core::Table& table) {
  const std::string option = "[DataPreparation] rename_columns";
  std::vector<std::string> names = table.Names();
  for (const auto& [old_name, new_name] : preparation.rename) {
    RECKON_ASSIGN(const size_t column, FindColumn(table, old_name, option));
    names[column] = new_name;
  }
  for (size_t j = 0; j < names.size(); ++j) {
    if (std::count(names.begin(), names.end(), names[j]) > 1) {
      return BadInput(fmt::format("{}: two columns would be called '{}'", option, names[j]));
    }
    if (names[j] == table.columns[j].name()) continue;
    table.columns[j] = Renamed(table.columns[j], names[j]);
  }
  return {};
}

Status SkipRows(const DataPreparation& preparation, core::Table& table) {
  if (preparation.skip_rows.empty()) return {};
  std::vector<std::pair<size_t, double>> bounds;
  for (const auto& [name, bound] : preparation.skip_rows) {
    RECKON_ASSIGN(const size_t column, FindColumn(table, name, "[DataPreparation] skip_rows"));
    if (table.columns[column].kind() != core::ColumnKind::kNumber) {
      return BadInput(fmt::format(
          "[DataPreparation] skip_rows: column '{}' holds text; a bound needs numbers", name));
    }
    bounds.emplace_back(column, bound);
  }
  std::vector<size_t> kept;
  for (size_t row = 0; row < table.row_count; ++row) {
    const bool skipped = std::any_of(bounds.begin(), bounds.end(), [&](const auto& bound) {
      return table.columns[bound.first][row] > bound.second;
    });
    if (!skipped) kept.push_back(row);
  }
  if (kept.empty()) return BadInput("[DataPreparation] skip_rows leaves no rows");
  table = table.Select(kept);
  return {};
}

Result<std::vector<std::string>> IgnoredColumns(const Campaign& campaign, const core::Table& table,
                                                std::vector<std::string>& warnings) {
  const DataPreparation& preparation = campaign.preparation;
  std::vector<std::string> ignored;
  if (preparation.use_columns) {
    const std::vector<std::string>& used = *preparation.use_columns;
    for (const std::string& name : used) {
      RECKON_TRY(FindColumn(table, name, "[DataPreparation] use_columns"));
    }
    for (const std::string& name : table.Names()) {
      const bool wanted = std::find(used.begin(), used.end(), name) != used.end();
      if (!wanted && name != campaign.target) ignored.push_back(name);
    }
    return ignored;
  }
  for (const std::string& name : preparation.skip_columns) {
    if (table.Find(name) && name != campaign.target) {
      ignored.push_back(name);
    } else {
      warnings.push_back(fmt::format(
          "[DataPreparation] skip_columns: '{}' is no input column of {}", name, table.source));
    }
  }
  return ignored;
}

}  // namespace

Result<Prepared> PrepareCampaign(const Campaign& campaign, const std::string& configuration_file,
                                 const Context& context, std::vector<std::string>& warnings) {
  Prepared prepared;
  DataRequest request;
  RECKON_ASSIGN(request.file, FindTable(campaign.preparation.input_path, configuration_file));
  RECKON_ASSIGN(prepared.table, LoadData(request, context));
  RECKON_TRY(Rename(campaign.preparation, prepared.table));
  RECKON_TRY(SkipRows(campaign.preparation, prepared.table));
  prepared.dataset_options.target = campaign.target;
  RECKON_ASSIGN(prepared.dataset_options.ignore,
                IgnoredColumns(campaign, prepared.table, warnings));
  RECKON_ASSIGN(prepared.data, learn::BuildDataset(prepared.table, prepared.dataset_options));
  prepared.notes = prepared.data.notes;
  if (campaign.preparation.ernest) {
    prepared.search.roles.workers = "cores";
    prepared.search.roles.size = "datasize";
  }
  prepared.search.jobs = context.jobs;
  return prepared;
}

Result<learn::FeatureOptions> CampaignFeatures(const Campaign& campaign,
                                               const learn::Dataset& data) {
  const DataPreparation& preparation = campaign.preparation;
  learn::FeatureOptions features;
  features.inverse = preparation.inverse.IsAny();
  features.inverse_of = preparation.inverse.names;
  features.log = preparation.log.IsAny();
  features.log_of = preparation.log.names;
  features.degree = preparation.degree;
  features.interactions_only = preparation.interactions_only && preparation.degree > 1;
  auto checked = learn::CheckFeatureColumns(features, data);
  if (!checked.ok()) return std::move(checked).error().Wrap("[DataPreparation]");
  if (campaign.selection.method == FeatureSelection::Method::kForward) {
    features.select.way = learn::TermSelection::Way::kForward;
  } else if (campaign.selection.method == FeatureSelection::Method::kImportance) {
    features.select.way = learn::TermSelection::Way::kImportance;
    features.select.gain_share = campaign.selection.tolerance;
  }
  features.select.most_terms = static_cast<int>(campaign.selection.most_features);
  return features;
}

}  // namespace reckon::app
