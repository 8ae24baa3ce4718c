// recommend: the cluster for a job, by a model or by trying a few.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/budget.h"
#include "app/recommend/live_search.h"
#include "app/recommend/replay_search.h"
#include "base/text.h"
#include "base/units.h"
#include "cli/amounts.h"
#include "cli/command.h"
#include "cli/commands/all.h"
#include "cli/commands/campaign_text.h"
#include "cli/commands/recommend_text.h"

namespace reckon::cli {
namespace {

// Options that were given and would do nothing.
base::Status RefuseIdle(std::initializer_list<std::pair<const char*, bool>> options,
                        const char* where) {
  for (const auto& [name, given] : options) {
    if (given) return base::BadInput(fmt::format("{} does nothing {}", name, where));
  }
  return {};
}

class RecommendCommand final : public Command {
 public:
  std::string name() const override { return "recommend"; }
  std::string summary() const override { return "choose the cluster for a job"; }
  std::string details() const override {
    return "Examples:\n"
           "  reckon recommend job.yaml --campaign ray --deadline 10m\n"
           "  reckon recommend job.yaml --campaign ray --budget 0.02 --plot trade-off.svg\n"
           "compares all clusters of the kinds that the campaign has measured: the cheapest that\n"
           "ends in time, the fastest for the money, or, without a wish, the knee.\n"
           "  reckon recommend job.yaml --algorithm scala-opt --hourly-budget 6 --max-workers 6\n"
           "does what FC2 does, by the bandwidth that workers need (docs/recommend.md).\n"
           "  reckon recommend campaign.yaml --probe 10 --max-cost 2.50\n"
           "searches without a model, by measuring a few points of a campaign "
           "(docs/profiling.md).\n"
           "Interrupted or killed, the same command goes on where it was.\n"
           "  reckon recommend --replay runs.csv --probe 10\n"
           "does so with the rows of a recorded table as if each were a real run. Columns:\n"
           "hourly_price, time_s, ok (1: reached its goal); all others are the configuration.\n";
  }

  void Declare(OptionSet& options) override {
    options.Positional("job", &request_.job,
                       "the job file (docs/job-file.md); with --probe a campaign file");
    options.Text("--algorithm", &fc2_.algorithm,
                 "pareto (default), or FC2's cost-opt, time-opt, scala-opt or scala-opt-m");
    options.Text("--campaign", &request_.campaign, "whose measurements tell how long jobs take");
    options.Text("--model", &request_.model,
                 "file or name in the store, instead of one fitted to the campaign");
    options.Text("--catalogue", &request_.catalogue,
                 "file of machine types with prices: YAML, or SkyPilot's CSV (default: the "
                 "campaign's)");
    options.Text("--region", &request_.region, "of the catalogue: types of this region alone");
    options.Text("--price", &price_, "of every machine, an hour, instead");
    options.Text("--deadline", &deadline_, "the job's end: 3h");
    options.Text("--budget", &budget_, "what the job may cost in all");
    options.Share("--confidence", &confidence_,
                  "probability with which both are kept (default: 0.95)");
    options.Share("--accuracy", &request_.accuracy,
                  "to be reached, in place of the job's epochs: 0.9");
    options.Names("--free", &free_,
                  "what may differ from the job: batch, strategy; needs --accuracy");
    options.OptionalWhole("--max-workers", &request_.most_workers, 1,
                          "largest number of workers (default: as measured)");
    options.Text("--hourly-budget", &hourly_budget_, "of FC2's: what an hour may cost");
    options.Text("--ps-type", &fc2_.server_type, "of FC2's: the type of the server");
    options.Text("--worker-type", &fc2_.worker_type, "of FC2's: the type of the workers");
    options.Share("--share", &share_,
                  "of scala-opt: share of the server's bandwidth to use (default: 0.8)");
    options.Names("--need", &fc2_.need.given,
                  "of scala-opt: bandwidth of a worker, 300Mbit or TYPE=300Mbit (default: by the "
                  "campaign, or measured by a run)");
    options.Text("--startup", &startup_, "until a cluster is up, paid for (default: 0s)");
    options.Flag("--spot", &request_.spot,
                 "also as spot machines, where the catalogue has their prices");
    options.Text("--interruptions", &interruptions_, "of a spot machine, an hour (default: 0.05)");
    options.Text("--checkpoint", &checkpoint_, "time to write one (default: 10s)");
    options.Text("--restart", &restart_, "after an interruption (default: 3m)");
    options.Text("--plot", &request_.plot, "write a picture of cost by time (SVG)");
    options.Text("--replay", &replay_.file, "table of recorded configurations");
    options.OptionalWhole("--probe", &probes_, 1,
                          "configurations to try at most (of --replay default: 10)");
    options.Text("--max-cost", &trials_.max_cost, "money to spend on trials");
    options.Text("--max-time", &trials_.max_time, "time to spend on trials: 30m");
    options.Flag("--keep-lab", &keep_lab_, "leave the lab of the trials up at the end");
    options.Whole("--runs", &runs_, 1, 1'000'000'000,
                  "how often the job will run with what trials find (default: 1000)");
    options.Whole("--seed", &seed_, 0, UINT64_MAX, "seed of every random choice (default: 1)");
  }

  base::Result<Output> Run(const app::Context& context) override {
    if (!fc2_.algorithm.empty() && fc2_.algorithm != "pareto") return ByFc2(context);
    if (request_.job.empty() == replay_.file.empty()) {
      return base::BadInput(request_.job.empty()
                                ? "nothing to choose for; name a job file, or a recorded table "
                                  "with --replay"
                                : "a job file or --replay, not both");
    }
    if (request_.job.empty()) return Replay(context);
    return probes_ ? Try(context) : Choose(context);
  }
  void ChooseFormat(bool json) override { json_ = json; }

 private:
  base::Result<Output> Replay(const app::Context& context) {
    RECKON_TRY(RefuseIdle({{"--deadline", !deadline_.empty()},
                           {"--budget", !budget_.empty()},
                           {"--max-time", !trials_.max_time.empty()}},
                          "with --replay, which looks for the cheapest"));
    RECKON_ASSIGN(const app::Budget budget, app::ReadBudget(trials_));
    replay_.max_cost = budget.cost;
    replay_.probes = probes_.value_or(replay_.probes);
    replay_.runs = static_cast<double>(runs_);
    replay_.seed = seed_;
    RECKON_ASSIGN(const app::SearchReport report, app::ReplaySearch(replay_, context));
    return Output{SearchText(report), base::DumpJson(app::ToJson(report))};
  }

  base::Result<Output> Try(const app::Context& context) {
    if (!request_.campaign.empty()) {
      return base::BadInput("--probe measures; --campaign is for what was measured: one of them");
    }
    RECKON_TRY(
        RefuseIdle({{"--deadline", !deadline_.empty()}, {"--budget", !budget_.empty()}},
                   "with --probe, which looks for the cheapest; --max-cost limits the trials"));
    app::LiveSearchRequest live;
    live.file = request_.job;
    live.probes = *probes_;
    live.budget = trials_;
    live.runs = static_cast<double>(runs_);
    live.seed = seed_;
    live.keep_lab = keep_lab_;
    const app::OnAttempt told = json_ ? app::OnAttempt() : PrintAttempts();
    RECKON_ASSIGN(const app::LiveSearchReport report, app::LiveSearch(live, context, told));
    Output output;
    output.text =
        "\n" + (report.search ? SearchText(*report.search) : CampaignText(report.campaign));
    output.json = base::DumpJson(app::ToJson(report));
    if (report.campaign.runs == 0) output.exit_code = 1;
    if (report.campaign.interrupted) output.exit_code = 130;
    return output;
  }

  base::Result<Output> ByFc2(const app::Context& context) {
    RECKON_TRY(RefuseIdle({{"--deadline", !deadline_.empty()},
                           {"--budget", !budget_.empty()},
                           {"--price", !price_.empty()},
                           {"--spot", request_.spot}},
                          "with FC2's algorithms; --algorithm pareto knows it"));
    RECKON_ASSIGN(fc2_.hourly_budget, AmountOf(hourly_budget_, "--hourly-budget"));
    fc2_.most_workers = request_.most_workers;
    fc2_.share = share_.value_or(fc2_.share);
    fc2_.catalogue = request_.catalogue;
    fc2_.region = request_.region;
    fc2_.need.job = request_.job;
    fc2_.need.campaign = request_.campaign;
    RECKON_ASSIGN(const app::Fc2Report report, app::RecommendByFc2(fc2_, context));
    return Output{Fc2Text(report), base::DumpJson(app::ToJson(report))};
  }

  base::Result<Output> Choose(const app::Context& context) {
    if (!price_.empty() && !request_.catalogue.empty()) {
      return base::BadInput("prices by --price or by --catalogue, not both");
    }
    if (request_.spot && request_.catalogue.empty()) {
      return base::BadInput("--spot: prices of spot machines are in a --catalogue; name one");
    }
    RECKON_ASSIGN(request_.deadline_s, DurationOf(deadline_, "--deadline"));
    RECKON_ASSIGN(request_.budget, AmountOf(budget_, "--budget"));
    for (const std::string& what : free_) {
      if (what != "batch" && what != "strategy") {
        return base::BadInput(fmt::format("--free {}: expected batch or strategy", what));
      }
      (what == "batch" ? request_.free_batch : request_.free_strategy) = true;
    }
    RECKON_ASSIGN(request_.price, AmountOf(price_, "--price"));
    RECKON_ASSIGN(const std::optional<double> startup, DurationOf(startup_, "--startup"));
    request_.startup_s = startup.value_or(0);
    auto& spot = request_.spot_terms;
    RECKON_ASSIGN(const auto rate, AmountOf(interruptions_, "--interruptions"));
    spot.interruptions_per_hour = rate.value_or(spot.interruptions_per_hour);
    RECKON_ASSIGN(const auto checkpoint, DurationOf(checkpoint_, "--checkpoint"));
    spot.checkpoint_s = checkpoint.value_or(spot.checkpoint_s);
    RECKON_ASSIGN(const auto restart, DurationOf(restart_, "--restart"));
    spot.restart_s = restart.value_or(spot.restart_s);
    request_.confidence = confidence_.value_or(request_.confidence);
    request_.seed = seed_;
    RECKON_ASSIGN(const app::RecommendReport report, app::Recommend(request_, context));
    return Output{ClustersText(report), base::DumpJson(app::ToJson(report))};
  }

  app::RecommendRequest request_;
  std::vector<std::string> free_;
  std::string deadline_;
  std::string budget_;
  std::string price_;
  app::Fc2RecommendRequest fc2_;
  std::string hourly_budget_;
  std::optional<double> share_;
  std::string startup_;
  std::string interruptions_;
  std::string checkpoint_;
  std::string restart_;
  std::optional<double> confidence_;
  app::ReplaySearchRequest replay_;
  app::BudgetText trials_;
  std::optional<size_t> probes_;
  bool keep_lab_ = false;
  bool json_ = false;
  uint64_t runs_ = 1000;
  uint64_t seed_ = 1;
};

}  // namespace

std::unique_ptr<Command> MakeRecommendCommand() { return std::make_unique<RecommendCommand>(); }

}  // namespace reckon::cli
