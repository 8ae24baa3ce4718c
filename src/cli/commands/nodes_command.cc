#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/manage/remote.h"
#include "app/nodes.h"
#include "base/units.h"
#include "cli/command.h"
#include "cli/commands/all.h"
#include "cli/server_options.h"
#include "cli/text_table.h"

namespace reckon::cli {
namespace {

std::string ShareText(const std::optional<observe::Spread>& share) {
  return share ? fmt::format("{:.0f} %", 100 * share->mean) : "-";
}

std::string ByteRateText(const std::optional<observe::Spread>& rate) {
  if (!rate) return "-";
  return base::FormatBytes(static_cast<uint64_t>(std::llround(rate->mean))) + "/s";
}

std::string NodeTable(const app::NodesReport& report) {
  const bool any_gpu = std::any_of(report.nodes.begin(), report.nodes.end(),
                                   [](const auto& node) { return node.usage.gpu.has_value(); });
  TextTable table;
  table.AddColumn("node", TextTable::Align::kLeft);
  for (const char* heading :
       {"cores", "cpu", "memory", "in use", "read", "written", "received", "sent"}) {
    table.AddColumn(heading, TextTable::Align::kRight);
  }
  if (any_gpu) table.AddColumn("gpu", TextTable::Align::kRight);
  for (const app::NodeUsage& node : report.nodes) {
    const observe::UsageSummary& usage = node.usage;
    std::vector<std::string> cells{app::FullName(node),
                                   base::FormatNumber(node.cpus),
                                   ShareText(usage.cpu),
                                   base::FormatBytes(node.memory_bytes),
                                   ShareText(usage.memory),
                                   ByteRateText(usage.disk_read_bytes_s),
                                   ByteRateText(usage.disk_written_bytes_s),
                                   ByteRateText(usage.net_received_bytes_s),
                                   ByteRateText(usage.net_sent_bytes_s)};
    if (any_gpu) cells.push_back(ShareText(usage.gpu));
    table.AddRow(std::move(cells));
  }
  return table.Render();
}

// As a manager tells of them.
std::string ManagedNodeTable(const base::Json& report) {
  TextTable table;
  table.AddColumn("node", TextTable::Align::kLeft);
  table.AddColumn("type", TextTable::Align::kLeft);
  for (const char* heading : {"cpus", "cpu", "memory", "in use", "$ an hour"}) {
    table.AddColumn(heading, TextTable::Align::kRight);
  }
  table.AddColumn("standing", TextTable::Align::kLeft);
  for (const base::Json& node : report.value("nodes", base::Json::array())) {
    const base::Json now = node.value("now", base::Json::object());
    const bool lost = node.value("lost", false);
    std::string standing = node.value("standing", "");
    if (const int strikes = node.value("strikes", 0); strikes > 0) {
      standing += fmt::format(", {} strike{}", strikes, strikes > 1 ? "s" : "");
    }
    if (lost) standing += ", lost";
    const auto share = [&](const char* key) {
      return lost ? std::string("-") : fmt::format("{:.0f} %", 100 * now.value(key, 0.0));
    };
    table.AddRow({node.value("name", ""), node.value("type", ""),
                  base::FormatNumber(node.value("cpus", 0.0)), share("cpu"),
                  base::FormatBytes(node.value("memory_bytes", uint64_t{0})), share("memory"),
                  base::FormatNumber(node.value("price_per_hour", 0.0)), standing});
  }
  return table.Render();
}

class NodesCommand final : public Command {
 public:
  std::string name() const override { return "nodes"; }
  std::string summary() const override {
    return "what this machine and the hosts of its labs have and use";
  }
  std::string details() const override {
    return "Example:\n"
           "  reckon nodes            measures for a second\n"
           "  reckon nodes --json     95th percentiles too\n"
           "Cores are real ones: a lab's host has its cpus divided by the dilation. cpu is the\n"
           "share of them in use, memory what the node may use. '-' is not measured there.\n";
  }
  void Declare(OptionSet& options) override {
    options.Text("--forgive", &forgive_, "with --server: strikes of this node count no more");
    options.Text("--remove", &remove_, "with --server: forget this node and its agent's secret");
    DeclareServer(options, remote_);
  }

  base::Result<Output> Run(const app::Context& context) override {
    if (!remote_.server.empty()) return AskManager();
    if (!forgive_.empty() || !remove_.empty()) {
      return base::BadInput("--forgive and --remove are for nodes of a manager (--server)");
    }
    RECKON_ASSIGN(const app::NodesReport report, app::MeasureNodes(context));
    for (const std::string& warning : report.warnings) context.log.Warn(warning);
    Output output;
    output.json = base::DumpJson(app::ToJson(report));
    output.text = NodeTable(report);
    return output;
  }

 private:
  base::Result<Output> AskManager() const {
    RECKON_ASSIGN(app::Remote remote, app::Remote::Open(remote_));
    if (!forgive_.empty()) RECKON_TRY(remote.ForgiveNode(forgive_));
    if (!remove_.empty()) RECKON_TRY(remote.RemoveNode(remove_));
    RECKON_ASSIGN(const base::Json nodes, remote.Nodes());
    Output output;
    output.json = base::DumpJson(nodes);
    output.text = ManagedNodeTable(nodes);
    return output;
  }

  app::RemoteRequest remote_;
  std::string forgive_;
  std::string remove_;
};

}  // namespace

std::unique_ptr<Command> MakeNodesCommand() { return std::make_unique<NodesCommand>(); }

}  // namespace reckon::cli
