// results: what code that was sent for a run has left.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/manage/remote.h"
#include "base/json.h"
#include "base/text.h"
#include "base/units.h"
#include "cli/command.h"
#include "cli/commands/all.h"
#include "cli/server_options.h"

namespace reckon::cli {
namespace {

class ResultsCommand final : public Command {
 public:
  std::string name() const override { return "results"; }
  std::string summary() const override { return "fetch what the code of a managed run has left"; }
  std::string details() const override {
    return "Example: reckon results 7 --server 10.0.0.1:4180 --out seven\n"
           "The files that the first worker of a run whose code was sent has left in its folder\n"
           "'results', into a new folder here.\n";
  }

  void Declare(OptionSet& options) override {
    options.Positional("run", &run_, "its number");
    options.Text("--out", &out_, "a new folder (default: results-RUN)");
    DeclareServer(options, remote_);
  }

  base::Result<Output> Run(const app::Context&) override {
    const auto run = base::ParseInteger(run_);
    if (!run || *run < 1) {
      return base::BadInput(fmt::format("'{}' is no number of a run", run_));
    }
    if (remote_.server.empty()) {
      return base::BadInput(
          "no manager to ask (--server HOST:PORT): runs of this machine leave "
          "what they leave in their own folders");
    }
    const std::string out = out_.empty() ? fmt::format("results-{}", *run) : out_;
    RECKON_ASSIGN(app::Remote remote, app::Remote::Open(remote_));
    RECKON_ASSIGN(const bundle::Contents contents, remote.FetchResults(*run, out));
    Output output;
    output.text = fmt::format("{} ({}) in {}\n", base::Count(contents.files, "file"),
                              base::FormatBytes(contents.bytes), out);
    output.json = base::DumpJson(
        base::Json{{"folder", out}, {"files", contents.files}, {"bytes", contents.bytes}});
    return output;
  }

 private:
  std::string run_;
  std::string out_;
  app::RemoteRequest remote_;
};

}  // namespace

std::unique_ptr<Command> MakeResultsCommand() { return std::make_unique<ResultsCommand>(); }

}  // namespace reckon::cli
