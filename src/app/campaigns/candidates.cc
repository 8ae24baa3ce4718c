#include "app/campaigns/candidates.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "app/runs/job_json.h"
#include "app/runs/run_samples.h"
#include "core/table_builder.h"

namespace reckon::app {

core::Table CandidatesOf(const std::vector<PointReport>& points,
                         const std::vector<base::Json>& plans) {
  core::TableBuilder builder;
  for (size_t i = 0; i < points.size(); ++i) {
    base::Json plan = plans[i].is_null() ? base::Json::object() : plans[i];
    if (!points[i].point.pool.empty()) plan["pool"] = points[i].point.pool;
    plan["varied"] = UntoldValues(points[i].point);
    builder.AddTable(InputsOf(ToJson(points[i].point.file.job), plan));
  }
  core::Table table = std::move(builder).Finish("the points of the campaign");
  const auto differs = [&](const core::Column& column) {
    for (size_t row = 1; row < column.size(); ++row) {
      if (column.Text(row) != column.Text(0)) return true;
    }
    return false;
  };
  std::erase_if(table.columns, [&](const core::Column& column) {
    // The engine names hosts, which pools stand for.
    return !IsRunInput(column.name()) || column.name() == "engine" || !differs(column);
  });
  return table;
}

}  // namespace reckon::app
