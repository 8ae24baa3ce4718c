#include <nlohmann/json.hpp>

#include "app/report_json.h"
#include "cli/command.h"
#include "cli/commands/all.h"
#include "cli/text_table.h"

namespace reckon::cli {
namespace {

class DoctorCommand final : public Command {
 public:
  std::string name() const override { return "doctor"; }
  std::string summary() const override {
    return "say what this machine can and cannot do, and what to install";
  }
  void Declare(OptionSet&) override {}

  base::Result<Output> Run(const app::Context& context) override {
    const app::DoctorReport report = app::Examine(context);
    Output output;
    output.json = base::DumpJson(app::ToJson(report));
    output.exit_code = report.healthy ? 0 : 1;
    TextTable table;
    for (const char* heading : {"", "what", "found", "advice"}) {
      table.AddColumn(heading, TextTable::Align::kLeft);
    }
    for (const app::Finding& finding : report.findings) {
      const char* mark = finding.health == app::Health::kGood      ? "ok"
                         : finding.health == app::Health::kLimited ? "--"
                                                                   : "BAD";
      table.AddRow({mark, finding.subject, finding.state, finding.advice});
    }
    output.text = table.Render();
    output.text += report.healthy ? "Forecasts from tables work on this machine.\n"
                                  : "What is marked BAD must be mended first.\n";
    return output;
  }
};

}  // namespace

std::unique_ptr<Command> MakeDoctorCommand() { return std::make_unique<DoctorCommand>(); }

}  // namespace reckon::cli
