#include "app/recommend/replay_search.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "app/data.h"
#include "base/text.h"

namespace reckon::app {
namespace {

using base::Result;

constexpr const char* kPrice = "hourly_price";
constexpr const char* kTime = "time_s";
constexpr const char* kOk = "ok";

struct RecordedTable {
  core::Table configurations;
  std::vector<double> price;
  std::vector<double> seconds;
  std::vector<bool> ok;
};

Result<const core::Column*> NumbersNamed(const core::Table& table, const char* name) {
  const auto found = table.Find(name);
  if (!found) {
    return base::BadInput(fmt::format(
        "{}: no column '{}'; expected {}, {}, {} beside the configurations{}", table.source, name,
        kPrice, kTime, kOk, base::SuggestFrom(name, table.Names())));
  }
  if (table.columns[*found].kind() != core::ColumnKind::kNumber) {
    return base::BadInput(fmt::format("{}: column '{}' is not numeric", table.source, name));
  }
  return &table.columns[*found];
}

Result<RecordedTable> Read(const std::string& file, const Context& context) {
  DataRequest request;
  request.file = file;
  RecordedTable recorded;
  RECKON_ASSIGN(core::Table table, LoadData(request, context));
  RECKON_ASSIGN(const core::Column* price, NumbersNamed(table, kPrice));
  RECKON_ASSIGN(const core::Column* seconds, NumbersNamed(table, kTime));
  RECKON_ASSIGN(const core::Column* ok, NumbersNamed(table, kOk));
  for (size_t row = 0; row < table.row_count; ++row) {
    for (const core::Column* column : {price, seconds}) {
      if ((*column)[row] > 0) continue;
      return base::BadInput(fmt::format("{}: {} is '{}'; expected a number above 0",
                                        table.Place(row), column->name(), column->Text(row)));
    }
    if ((*ok)[row] != 0 && (*ok)[row] != 1) {
      return base::BadInput(
          fmt::format("{}: {} is '{}'; expected 0 or 1", table.Place(row), kOk, ok->Text(row)));
    }
    recorded.price.push_back((*price)[row]);
    recorded.seconds.push_back((*seconds)[row]);
    recorded.ok.push_back((*ok)[row] == 1);
  }
  if (table.row_count == 0) return base::BadInput(table.source + ": no configurations");
  std::erase_if(table.columns, [](const core::Column& column) {
    return column.name() == kPrice || column.name() == kTime || column.name() == kOk;
  });
  if (table.columns.empty()) {
    return base::BadInput(table.source + ": no columns that tell configurations apart");
  }
  recorded.configurations = std::move(table);
  return recorded;
}

std::string TextOf(const core::Table& table, size_t row) {
  std::vector<std::string> parts;
  for (const core::Column& column : table.columns) {
    parts.push_back(column.name() + "=" + column.Text(row));
  }
  return base::Join(parts, " ");
}

}  // namespace

Result<SearchReport> ReplaySearch(const ReplaySearchRequest& request, const Context& context) {
  if (request.probes == 0) return base::BadInput("--probe 0: expected at least 1");
  if (request.max_cost && !(*request.max_cost > 0)) {
    return base::BadInput("--max-cost: expected more than nothing");
  }
  RECKON_ASSIGN(const RecordedTable recorded, Read(request.file, context));
  const decide::ConfigurationSearch search(recorded.configurations, recorded.price,
                                           {request.seed, request.runs});
  SearchReport report;
  report.source = recorded.configurations.source;
  for (size_t row = 0; row < recorded.price.size(); ++row) {
    report.texts.push_back(TextOf(recorded.configurations, row));
  }
  std::vector<decide::Trial> tried;
  while (report.ended.empty()) {
    if (context.stop.stop_requested()) {
      return base::Error(base::ErrorCode::kInterrupted, "interrupted");
    }
    if (tried.size() == request.probes) {
      report.ended = fmt::format("{} were tried", base::Count(tried.size(), "configuration"));
      break;
    }
    std::optional<double> left;
    if (request.max_cost) left = *request.max_cost - report.spent;
    decide::SearchEnd why{};
    RECKON_ASSIGN(const auto next, search.Next(tried, left, {}, &why));
    if (!next) {
      report.ended = decide::Describe(why);
      break;
    }
    const decide::Trial trial{next->row, recorded.seconds[next->row], recorded.ok[next->row]};
    tried.push_back(trial);
    report.tried.push_back(
        {trial.row, trial.seconds, search.CostOf(trial), trial.ok, next->expected_gain});
    report.spent += report.tried.back().cost;
  }
  RECKON_ASSIGN(report.chosen, search.Recommend(tried));
  return report;
}

}  // namespace reckon::app
