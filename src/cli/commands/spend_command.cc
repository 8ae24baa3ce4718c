// spend: what managed runs have cost, and whom.
#include <chrono>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/data.h"
#include "app/manage/remote.h"
#include "app/manage/spend_json.h"
#include "base/json.h"
#include "cli/command.h"
#include "cli/commands/all.h"
#include "cli/server_options.h"
#include "cli/text_table.h"

namespace reckon::cli {
namespace {

using Align = TextTable::Align;
using base::Json;

std::string SpendTable(const Json& rows) {
  TextTable table;
  table.AddColumn("user", Align::kLeft);
  table.AddColumn("project", Align::kLeft);
  table.AddColumn("runs", Align::kRight);
  table.AddColumn("$", Align::kRight);
  int64_t runs = 0;
  double dollars = 0;
  for (const Json& row : rows) {
    table.AddRow({row.value("user", ""), row.value("project", ""),
                  std::to_string(row.value("runs", int64_t{0})),
                  fmt::format("{:.2f}", row.value("dollars", 0.0))});
    runs += row.value("runs", int64_t{0});
    dollars += row.value("dollars", 0.0);
  }
  return table.Render() + fmt::format("{} runs, {:.2f} $ in all\n", runs, dollars);
}

class SpendCommand final : public Command {
 public:
  std::string name() const override { return "spend"; }
  std::string summary() const override {
    return "what managed runs have cost, by user and project";
  }
  std::string details() const override {
    return "Examples:\n"
           "  reckon spend --days 30\n"
           "  reckon spend --server https://10.0.0.1:4180 --token-file token\n"
           "With --server what runs at work have cost until now is in it; without, a run counts\n"
           "once it is over. Prices are those that agents have told of their nodes.\n";
  }
  void Declare(OptionSet& options) override {
    options.OptionalWhole("--days", &days_, 1, "of runs that ended within so many (default: all)");
    DeclareServer(options, remote_);
  }

  base::Result<Output> Run(const app::Context& context) override {
    RECKON_ASSIGN(const Json report, Ask(context));
    Output output;
    output.text = SpendTable(report["spend"]);
    output.json = base::DumpJson(report);
    return output;
  }

 private:
  base::Result<Json> Ask(const app::Context& context) {
    if (!remote_.server.empty()) {
      RECKON_ASSIGN(app::Remote remote, app::Remote::Open(remote_));
      return remote.Spend(days_);
    }
    RECKON_ASSIGN(const auto store, app::OpenStore(context, false));
    std::optional<base::WallTime> since;
    if (days_) since = context.clock.Now() - std::chrono::days(*days_);
    RECKON_ASSIGN(const std::vector<core::Spend> all, store->ListSpend(since));
    return app::ToJson(all);
  }

  std::optional<size_t> days_;
  app::RemoteRequest remote_;
};

}  // namespace

std::unique_ptr<Command> MakeSpendCommand() { return std::make_unique<SpendCommand>(); }

}  // namespace reckon::cli
