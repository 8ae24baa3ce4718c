// profile: measures what a campaign asks for, or replays a recorded table as if it did.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/budget.h"
#include "app/campaigns/profile.h"
#include "app/replay.h"
#include "cli/command.h"
#include "cli/commands/all.h"
#include "cli/commands/campaign_text.h"
#include "cli/commands/replay_text.h"

namespace reckon::cli {
namespace {

void DeclareReplay(OptionSet& options, app::ReplayRequest& replay) {
  options.Text("--replay", &replay.data.file,
               "table of recorded measurements to measure as if live");
  options.Text("--delimiter", &replay.data.delimiter,
               "of --replay: one character or 'tab' (default: by the header)");
  options.Names("--numeric", &replay.data.numeric, "columns of --replay that are numbers");
  options.Names("--category", &replay.data.category, "columns of --replay that are categories");
  options.Text("--target", &replay.target, "column to forecast");
  options.Text("--time", &replay.time,
               "column of the seconds that measuring took (default: the target)");
  options.Text("--price", &replay.price, "column of prices an hour");
  options.Names("--ignore", &replay.ignore,
                "columns that are no inputs, such as the number of a repeat");
}

class ProfileCommand final : public Command {
 public:
  std::string name() const override { return "profile"; }
  std::string summary() const override { return "choose what to measure, and measure it"; }
  std::string details() const override {
    return "Examples:\n"
           "  reckon profile campaign.yaml\n"
           "  reckon profile campaign.yaml --design optimal --until-error 5% --max-time 30m\n"
           "Ctrl-C stops the run under way. Interrupted or killed, the same command goes on where\n"
           "it was. What was measured is kept as samples NAME.runs, NAME.epochs and NAME.nodes.\n"
           "  reckon profile --replay runs.csv --target time_s --design optimal --max-time 2h\n"
           "takes the rows of a recorded table one point after the other, as a campaign would\n"
           "have measured them, and tells how good forecasts were after how much measuring.\n";
  }

  void Declare(OptionSet& options) override {
    options.Positional("campaign", &campaign_.file, "the campaign file (docs/profiling.md)");
    options.Text("--design", &design_, "grid, random or optimal (default: the file's; optimal)");
    options.Text("--criterion", &criterion_,
                 "of the optimal design: a (sure forecasts, default) or d (much information)");
    options.Text("--max-time", &budget_.max_time, "time to spend on measuring: 30m, 2h");
    options.Text("--max-cost", &budget_.max_cost, "money to spend on measuring");
    options.Text("--until-error", &budget_.until_error,
                 "stop when forecasts should be this good: 5%");
    options.OptionalWhole("--repeats", &campaign_.repeats, 1, "runs of each point of a campaign");
    options.Flag("--keep-lab", &campaign_.keep_lab, "leave the campaign's lab up at the end");
    DeclareReplay(options, replay_);
    options.Whole("--seed", &replay_.seed, 0, UINT64_MAX,
                  "seed of every random choice of a replay (default: 1)");
    options.Text("-o,--out", &replay_.out, "table to write: what a replay measured, in order");
    options.Text("--plot", &replay_.plot, "write a picture of a replay's error by time (SVG)");
  }
  void ChooseFormat(bool json) override { json_ = json; }

  base::Result<Output> Run(const app::Context& context) override {
    if (campaign_.file.empty() == replay_.data.file.empty()) {
      return base::BadInput(
          campaign_.file.empty()
              ? "nothing to measure; name a campaign file, or a recorded table with --replay"
              : "a campaign file or --replay, not both");
    }
    return campaign_.file.empty() ? Replay(context) : Measure(context);
  }

 private:
  base::Result<Output> Replay(const app::Context& context) {
    if (!design_.empty()) replay_.design = design_;
    if (!criterion_.empty()) replay_.criterion = criterion_;
    replay_.budget = budget_;
    RECKON_ASSIGN(const app::ReplayReport report, app::Replay(replay_, context));
    return ReplayOutput(report);
  }

  base::Result<Output> Measure(const app::Context& context) {
    campaign_.design = design_;
    campaign_.criterion = criterion_;
    campaign_.budget = budget_;
    const app::OnAttempt told = json_ ? app::OnAttempt() : PrintAttempts();
    RECKON_ASSIGN(const app::CampaignReport report, app::Profile(campaign_, context, told));
    Output output;
    output.text = "\n" + CampaignText(report);
    output.json = base::DumpJson(app::ToJson(report));
    if (report.runs == 0) output.exit_code = 1;
    if (report.interrupted) output.exit_code = 130;
    return output;
  }

  app::CampaignRequest campaign_;
  app::ReplayRequest replay_;
  app::BudgetText budget_;
  std::string design_;
  std::string criterion_;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> MakeProfileCommand() { return std::make_unique<ProfileCommand>(); }

}  // namespace reckon::cli
