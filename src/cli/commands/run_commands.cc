// run, status and stop: jobs at work.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/manage/remote.h"
#include "app/runs/report_json.h"
#include "app/runs/runs.h"
#include "base/json.h"
#include "cli/command.h"
#include "cli/commands/all.h"
#include "cli/overrides.h"
#include "cli/run_text.h"
#include "cli/server_options.h"

namespace reckon::cli {
namespace {

Output Show(const base::Json& run) {
  Output output;
  output.text = RunText(run);
  output.json = base::DumpJson(run);
  return output;
}

class RunCommand final : public Command {
 public:
  std::string name() const override { return "run"; }
  std::string summary() const override { return "train: carry out a job and measure it"; }
  std::string details() const override {
    return "Examples:\n"
           "  reckon run job.yaml\n"
           "  reckon run job.yaml --set num_nodes=4 --set trainer.batch=128\n"
           "  reckon run job.yaml --detach && reckon status\n"
           "Ctrl-C stops the run. If reckon itself is killed the run goes on; 'reckon status'\n"
           "finds it again. What was measured is kept as samples NAME.runs and NAME.epochs.\n";
  }

  void Declare(OptionSet& options) override {
    options.Positional("job", &request_.job_file, "the job file (docs/job-file.md)");
    options.Text("--on", &request_.engine, "where: local (default) or lab:NAME");
    options.Text("--plan", &request_.plan,
                 "shards and batches of 'reckon schedule --out'; in a lab on the plan's nodes");
    options.Texts("--set", &sets_, "KEY=VALUE in place of the file's; may be repeated");
    options.Text("--model", &request_.model,
                 "forecast it first with this model of NAME.runs (with --server: of its store)");
    options.Flag("-d,--detach", &detach_, "return once it is started");
    DeclareServer(options, remote_);
  }

  base::Result<Output> Run(const app::Context& context) override {
    if (request_.job_file.empty()) return base::BadInput("no job file to run");
    RECKON_ASSIGN(request_.overrides, ReadOverrides(sets_));
    if (!remote_.server.empty()) return RunElsewhere(context);
    if (detach_) {
      RECKON_ASSIGN(const app::RunReport report, app::StartRun(request_, context));
      return Started(report.run.id, app::ToJson(report));
    }
    RECKON_ASSIGN(const app::RunReport report, app::RunToEnd(request_, context));
    return Ended(app::ToJson(report));
  }

 private:
  base::Result<Output> RunElsewhere(const app::Context& context) {
    for (const auto& [given, option] : {std::pair(!request_.plan.empty(), "--plan"),
                                        std::pair(request_.engine != "local", "--on")}) {
      if (given) {
        return base::BadInput(fmt::format("{} is for runs on this machine, not --server", option));
      }
    }
    RECKON_ASSIGN(app::JobToSend sent,
                  app::ReadJobToSend(request_.job_file, request_.overrides, context.stop));
    app::JobText& job = sent.job;
    job.model = request_.model;
    RECKON_ASSIGN(app::Remote remote, app::Remote::Open(remote_));
    if (!sent.code.empty()) {
      RECKON_ASSIGN(job.bundle, remote.SendFolder(sent.code, context));
    }
    RECKON_ASSIGN(const int64_t run, remote.Submit(job));
    if (detach_) {
      RECKON_ASSIGN(const base::Json shown, remote.Show(std::to_string(run)));
      return Started(run, shown);
    }
    RECKON_ASSIGN(const base::Json shown, remote.Follow(run, context));
    return Ended(shown);
  }

  static Output Started(int64_t run, const base::Json& shown) {
    Output output;
    output.text =
        fmt::format("run {} started; 'reckon status {}', 'reckon logs -f {}'\n", run, run, run);
    output.json = base::DumpJson(shown);
    return output;
  }

  static Output Ended(const base::Json& shown) {
    Output output = Show(shown);
    const std::string state = shown.value("state", "");
    if (state != core::RunStateName(core::RunState::kFinished)) output.exit_code = 1;
    if (state == core::RunStateName(core::RunState::kStopped)) output.exit_code = 130;
    return output;
  }

  app::RunRequest request_;
  app::RemoteRequest remote_;
  std::vector<std::string> sets_;
  bool detach_ = false;
};

class StatusCommand final : public Command {
 public:
  std::string name() const override { return "status"; }
  std::string summary() const override { return "how a run gets on"; }
  void Declare(OptionSet& options) override {
    options.Positional("run", &run_, "number of the run (default: the newest)");
    DeclareServer(options, remote_);
  }
  base::Result<Output> Run(const app::Context& context) override {
    if (!remote_.server.empty()) {
      RECKON_ASSIGN(app::Remote remote, app::Remote::Open(remote_));
      RECKON_ASSIGN(const base::Json shown, remote.Show(run_));
      return Show(shown);
    }
    RECKON_ASSIGN(const app::RunReport report, app::FindRunReport(run_, context));
    return Show(app::ToJson(report));
  }

 private:
  app::RemoteRequest remote_;
  std::string run_;
};

class StopCommand final : public Command {
 public:
  std::string name() const override { return "stop"; }
  std::string summary() const override { return "stop a run"; }
  void Declare(OptionSet& options) override {
    options.Positional("run", &run_, "number of the run (default: the newest at work)");
    DeclareServer(options, remote_);
  }
  base::Result<Output> Run(const app::Context& context) override {
    if (!remote_.server.empty()) {
      RECKON_ASSIGN(app::Remote remote, app::Remote::Open(remote_));
      RECKON_ASSIGN(const base::Json shown, remote.Stop(run_, context));
      return Stopped(shown);
    }
    RECKON_ASSIGN(const app::RunReport report, app::StopRun(run_, context));
    return Stopped(app::ToJson(report));
  }

 private:
  static Output Stopped(const base::Json& shown) {
    Output output;
    output.text = RunHeadline(shown);
    output.json = base::DumpJson(shown);
    return output;
  }

  app::RemoteRequest remote_;
  std::string run_;
};

}  // namespace

std::unique_ptr<Command> MakeRunCommand() { return std::make_unique<RunCommand>(); }
std::unique_ptr<Command> MakeStatusCommand() { return std::make_unique<StatusCommand>(); }
std::unique_ptr<Command> MakeStopCommand() { return std::make_unique<StopCommand>(); }

}  // namespace reckon::cli
