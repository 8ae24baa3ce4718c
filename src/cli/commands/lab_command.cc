#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/lab.h"
#include "base/units.h"
#include "cli/command.h"
#include "cli/commands/all.h"
#include "cli/text_table.h"

namespace reckon::cli {
namespace {

std::string BitRateText(double bit_s) {
  if (bit_s == 0) return "-";
  if (bit_s >= 1e9) return fmt::format("{:.4g} Gbit/s", bit_s / 1e9);
  if (bit_s >= 1e6) return fmt::format("{:.4g} Mbit/s", bit_s / 1e6);
  return fmt::format("{:.4g} Kbit/s", bit_s / 1e3);
}

std::string LabText(const act::LabState& state) {
  std::string text =
      fmt::format("{}: dilation {:.4g}, this machine is {}{}\n", state.name, state.dilation,
                  state.machine_address,
                  state.finished ? "" : "; never finished, 'reckon lab down' removes it");
  TextTable table;
  table.AddColumn("host", TextTable::Align::kLeft);
  table.AddColumn("address", TextTable::Align::kLeft);
  table.AddColumn("cpus", TextTable::Align::kRight);
  table.AddColumn("memory", TextTable::Align::kRight);
  table.AddColumn("bandwidth", TextTable::Align::kRight);
  table.AddColumn("link", TextTable::Align::kLeft);
  table.AddColumn("processes", TextTable::Align::kRight);
  for (const act::LabHostStatus& status : state.hosts) {
    const core::LabHost& host = status.host;
    table.AddRow({host.name, status.place.address, base::FormatNumber(host.cpus),
                  host.memory_bytes == 0 ? "-" : base::FormatBytes(host.memory_bytes),
                  BitRateText(host.bandwidth_bit_s), status.linked ? "up" : "cut",
                  std::to_string(status.processes)});
  }
  return text + table.Render();
}

class LabCommand final : public Command {
 public:
  std::string name() const override { return "lab"; }
  std::string summary() const override { return "a cluster of emulated hosts on this machine"; }
  std::string details() const override {
    return "Example:\n"
           "  reckon lab up examples/lab/quad.yaml     make it (needs root)\n"
           "  reckon lab status quad                   hosts, addresses, what runs there\n"
           "  reckon lab kill quad h1                  end everything on a host\n"
           "  reckon lab cut quad h1                   pull its cable; 'mend' puts it in again\n"
           "  reckon lab list                          every lab\n"
           "  reckon lab down quad                     remove every trace\n"
           "cpus and bandwidth are those of the emulated host; it gets them divided by the\n"
           "dilation.\n";
  }

  void Declare(OptionSet& options) override {
    options.Positional("action", &request_.action, "up, down, status, list, kill, cut or mend");
    options.Positional("lab", &request_.lab, "LAB.yaml, or (not for up) the name of a lab");
    options.Positional("host", &request_.host, "for kill, cut and mend");
  }

  base::Result<Output> Run(const app::Context& context) override {
    RECKON_ASSIGN(const app::LabReport report, app::ManageLab(request_, context));
    for (const std::string& warning : report.warnings) context.log.Warn(warning);
    Output output;
    output.json = base::DumpJson(app::ToJson(report));
    if (!report.done.empty()) output.text = report.done + "\n";
    for (const act::LabState& state : report.labs) output.text += LabText(state);
    return output;
  }

 private:
  app::LabRequest request_;
};

}  // namespace

std::unique_ptr<Command> MakeLabCommand() { return std::make_unique<LabCommand>(); }

}  // namespace reckon::cli
