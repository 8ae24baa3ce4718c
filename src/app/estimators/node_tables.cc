#include "app/estimators/node_tables.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>

#include "app/runs/run_samples.h"
#include "core/node.h"
#include "core/table_builder.h"

namespace reckon::app {
namespace {

using core::Row;
using core::Table;

double Number(const Table& table, const std::string& column, size_t row) {
  const auto found = table.Find(column);
  if (!found || table.columns[*found].kind() != core::ColumnKind::kNumber) return std::nan("");
  return table.columns[*found][row];
}

// State of the node and of its training that estimators may depend on.
const std::vector<std::string> kState{"cpu_before", "memory_before", "gpu_before",
                                      "disk_written_bytes_s_before"};
const std::vector<std::string> kWork{"batch", "host_workers", "parameters"};
const std::vector<std::string> kCluster{"workers", "server_cpu_before"};
// Of a host that only serves: how often its workers come depends on their batch and on what else
// they do.
const std::string kCrewBatch = "crew_batch";
const std::string kCrewCpu = "crew_cpu_before";

// A run's workers, as its servers see them: means over their hosts.
class Crews {
 public:
  explicit Crews(const Table& nodes) {
    for (size_t row = 0; row < nodes.row_count; ++row) {
      if (!(Number(nodes, "host_workers", row) > 0)) continue;
      Crew& crew = of_run_[Number(nodes, "run", row)];
      crew.batch += Number(nodes, "batch", row);
      crew.cpu += Number(nodes, "cpu_before", row);
      ++crew.hosts;
    }
  }

  // Nothing for hosts that train themselves.
  double Of(const Table& nodes, const std::string& input, size_t row) const {
    const auto found = of_run_.find(Number(nodes, "run", row));
    if (found == of_run_.end() || Number(nodes, "host_workers", row) > 0) return std::nan("");
    return (input == kCrewBatch ? found->second.batch : found->second.cpu) / found->second.hosts;
  }

 private:
  struct Crew {
    double batch = 0;
    double cpu = 0;
    double hosts = 0;
  };
  std::map<double, Crew> of_run_;
};

std::vector<std::string> Together(const std::vector<std::vector<std::string>>& lists) {
  std::vector<std::string> all;
  for (const auto& list : lists) all.insert(all.end(), list.begin(), list.end());
  return all;
}

size_t CellsIn(const core::Column& column) {
  size_t cells = 0;
  for (size_t row = 0; row < column.size(); ++row) cells += std::isnan(column[row]) ? 0 : 1;
  return cells;
}

constexpr const char* kRun = "run";
const std::string kLatency = "latency_s";

// Apps with columns of their own ("sift.latency_s"), and "" for hosts that have but one.
std::vector<std::string> AppsIn(const Table& nodes) {
  std::vector<std::string> apps{""};
  const std::string suffix = "." + kLatency;
  for (const core::Column& column : nodes.columns) {
    const std::string& name = column.name();
    if (name.ends_with(suffix)) apps.push_back(name.substr(0, name.size() - suffix.size()));
  }
  return apps;
}

// Without columns that most rows lack (nobody stressed the hosts before), then without rows that
// lack another (of a host that only serves), then without columns that are the same in every row.
void Finish(core::TableBuilder builder, EstimatorData& data) {
  Table table = std::move(builder).Finish("rows of hosts");
  std::erase_if(table.columns,
                [](const core::Column& column) { return 2 * CellsIn(column) < column.size(); });
  std::vector<size_t> whole;
  for (size_t row = 0; row < table.row_count; ++row) {
    const bool lacks = std::any_of(table.columns.begin(), table.columns.end(),
                                   [&](const auto& column) { return std::isnan(column[row]); });
    if (!lacks) whole.push_back(row);
  }
  table = table.Select(whole);
  std::erase_if(table.columns, [&](const core::Column& column) {
    if (column.name() == data.target || column.name() == kRun) return false;
    for (size_t row = 1; row < column.size(); ++row) {
      if (column[row] != column[0]) return false;
    }
    return true;
  });
  const auto run = table.Find(kRun);
  for (size_t row = 0; row < table.row_count; ++row) {
    data.runs.push_back(run ? static_cast<size_t>(table.columns[*run][row]) : row);
  }
  if (run) table.columns.erase(table.columns.begin() + static_cast<ptrdiff_t>(*run));
  data.table = std::move(table);
}

bool WorthLearning(const EstimatorData& data, size_t least) {
  if (data.table.row_count < least || data.table.columns.size() < 2) return false;
  const core::Column& target = data.table.columns[*data.table.Find(data.target)];
  for (size_t row = 1; row < target.size(); ++row) {
    if (target[row] != target[0]) return true;
  }
  return false;
}

class Maker {
 public:
  Maker(const Table& nodes, const Crews& crews, const std::string& type, std::vector<size_t> rows)
      : nodes_(nodes), crews_(crews), type_(type), rows_(std::move(rows)) {}

  EstimatorData Plain(const std::string& function, const std::string& name,
                      const std::string& target, const std::vector<std::string>& inputs) const {
    core::TableBuilder builder;
    for (const size_t row : rows_) {
      const double value = Number(nodes_, target, row);
      if (!(value > 0)) continue;
      Row cells{{kRun, Number(nodes_, kRun, row)}};
      for (const std::string& input : inputs) {
        const bool of_crew = input == kCrewBatch || input == kCrewCpu;
        const double number = of_crew ? crews_.Of(nodes_, input, row) : Number(nodes_, input, row);
        if (!std::isnan(number)) cells.emplace_back(input, number);
      }
      cells.emplace_back(target, value);
      builder.AddRow(cells);
    }
    EstimatorData data{type_, function, name, target, {target}, {}, {}};
    Finish(std::move(builder), data);
    return data;
  }

  // Two rows of each host: with the training and without it. `app`: where there are several.
  EstimatorData ExecTime(const std::string& app) const {
    const std::string measured = (app.empty() ? "" : app + ".") + kLatency;
    core::TableBuilder builder;
    for (const size_t row : rows_) {
      Add(builder, row, measured + "_before", "_before", false);
      Add(builder, row, measured, "_p95", true);  // as EstState forecasts it
    }
    EstimatorData data{type_,
                       app.empty() ? "EstExecTime" : "EstExecTime " + app,
                       app.empty() ? "exec_time" : "exec_time." + app,
                       kLatency,
                       {measured, measured + "_before"},
                       {},
                       {}};
    Finish(std::move(builder), data);
    return data;
  }

 private:
  // What trains takes what it gets, so that the share in use says little then: what there was
  // before tells how many it is shared with.
  void Add(core::TableBuilder& builder, size_t row, const std::string& latency,
           const std::string& suffix, bool training) const {
    const double value = Number(nodes_, latency, row);
    if (!(value > 0)) return;
    Row cells{{kRun, Number(nodes_, kRun, row)}};
    for (const char* metric : {"cpu", "memory", "gpu"}) {
      for (const auto& [name, column] :
           {std::pair(std::string(metric), metric + suffix),
            std::pair(std::string(metric) + "_before", std::string(metric) + "_before")}) {
        if (const double number = Number(nodes_, column, row); !std::isnan(number)) {
          cells.emplace_back(name, number);
        }
      }
    }
    cells.emplace_back("training", training ? 1.0 : 0.0);
    for (const char* input : {"batch", "host_workers"}) {
      const double number = training ? Number(nodes_, input, row) : 0;
      if (!std::isnan(number)) cells.emplace_back(input, number);
    }
    cells.emplace_back(kLatency, value);
    builder.AddRow(cells);
  }

  const Table& nodes_;
  const Crews& crews_;
  const std::string type_;
  const std::vector<size_t> rows_;
};

}  // namespace

std::vector<EstimatorData> EstimatorTables(const Table& nodes, size_t least) {
  std::map<std::string, std::vector<size_t>> by_type;
  const auto host = nodes.Find("host");
  for (size_t row = 0; host && row < nodes.row_count; ++row) {
    if (IsBlemished(nodes, row)) continue;
    by_type[core::TypeOfNode(nodes.columns[*host].Text(row))].push_back(row);
  }
  std::vector<EstimatorData> all;
  const Crews crews(nodes);
  for (const auto& [type, rows] : by_type) {
    const Maker maker(nodes, crews, type, rows);
    const auto add = [&](EstimatorData data) {
      if (WorthLearning(data, least)) all.push_back(std::move(data));
    };
    add(maker.Plain("EstComputeTime", "compute_time", "compute_per_sample_s",
                    Together({kState, kWork, kCluster})));
    add(maker.Plain("EstUpdateTime", "update_time", "exchange_s",
                    Together({kState, kWork, kCluster})));
    for (const char* metric : {"cpu", "memory", "gpu"}) {
      add(maker.Plain(std::string("EstState ") + metric, std::string("state_") + metric,
                      std::string(metric) + "_p95",
                      Together({kState, kWork, kCluster, {kCrewBatch, kCrewCpu}})));
    }
    for (const std::string& app : AppsIn(nodes)) add(maker.ExecTime(app));
  }
  return all;
}

}  // namespace reckon::app
