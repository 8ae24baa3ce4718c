// serve and agent: a manager, and nodes at its service.
#include <cstdio>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/manage/agent_run.h"
#include "base/json.h"
#include "base/units.h"
#include "cli/amounts.h"
#include "cli/command.h"
#include "cli/commands/all.h"
#include "serve/service.h"

namespace reckon::cli {
namespace {

class ServeCommand final : public Command {
 public:
  std::string name() const override { return "serve"; }
  std::string summary() const override { return "manage runs on nodes with agents"; }
  std::string details() const override {
    return "Examples:\n"
           "  reckon serve\n"
           "  reckon serve --listen 10.0.0.1:4180 --tls-cert cert.pem --tls-key key.pem\n"
           "Beyond this machine it needs a token: 'reckon token create', or --token-file.\n"
           "Ctrl-C or SIGTERM ends it; runs go on, and the next one takes them over.\n"
           "docs/service.md has the routes of its HTTP interface.\n";
  }

  void Declare(OptionSet& options) override {
    options.Text("--listen", &request_.listen, "HOST:PORT (default 127.0.0.1:4180)");
    options.Text("--token-file", &request_.token_file,
                 "holds a token of an admin, to begin with (see reckon token)");
    options.Text("--tls-cert", &request_.tls_cert,
                 "PEM, with the chain of issuers; read again on SIGHUP");
    options.Text("--tls-key", &request_.tls_key, "PEM, without a password");
    options.Text("--grace", &grace_, "silence of a node that means nothing (default 10s)");
    options.Text("--lost-after", &lost_, "silence after which a node counts as gone (default 30s)");
    options.Text("--cool-down", &cool_down_, "how long three strikes exclude (default 1h)");
    options.Texts("--webhook", &request_.webhooks,
                  "URL to which every event of runs and nodes is posted; may be repeated");
    options.Whole("--max-runs", &request_.manager.limits.most_runs, 1, 1'000'000,
                  "runs at work at the same time (default: as many as find nodes)");
    options.Whole("--max-runs-per-user", &request_.manager.limits.most_runs_per_user, 1, 1'000'000,
                  "likewise, of one user");
    options.Text("--max-upload", &upload_, "code that is sent for a run (default 256MiB)");
    options.Flag("--keep-models", &request_.keep_models,
                 "fit no model anew that has drifted ('reckon refit' does)");
  }
  void ChooseFormat(bool json) override { json_ = json; }

  base::Result<Output> Run(const app::Context& context) override {
    watch::StrikePolicy& strikes = request_.manager.strikes;
    for (const auto& [text, option, value] :
         {std::tuple(&grace_, "--grace", &strikes.grace_s),
          std::tuple(&lost_, "--lost-after", &strikes.lost_s),
          std::tuple(&cool_down_, "--cool-down", &strikes.cool_down_s)}) {
      RECKON_ASSIGN(const auto seconds, DurationOf(*text, option));
      if (seconds) *value = *seconds;
    }
    if (!upload_.empty()) {
      auto bytes = base::ParseBytes(upload_);
      if (!bytes.ok()) return std::move(bytes).error().Wrap("--max-upload " + upload_);
      request_.manager.most_bundle_bytes = *bytes;
    }
    if (strikes.lost_s <= strikes.grace_s) {
      return base::BadInput("--lost-after must be longer than --grace");
    }
    RECKON_TRY(serve::Serve(request_, context, [this](const std::string& url) {
      if (json_) {
        std::puts(base::DumpJsonLine(base::Json{{"url", url}}).c_str());
      } else {
        std::puts(fmt::format("listening at {}", url).c_str());
      }
      std::fflush(stdout);
    }));
    Output output;
    output.result_on_stdout = true;
    return output;
  }

 private:
  serve::ServeRequest request_;
  std::string grace_;
  std::string lost_;
  std::string cool_down_;
  std::string upload_;
  bool json_ = false;
};

class AgentCommand final : public Command {
 public:
  std::string name() const override { return "agent"; }
  std::string summary() const override { return "put this node at a manager's service"; }
  std::string details() const override {
    return "Examples:\n"
           "  reckon agent --manager https://10.0.0.1:4180 --tls-ca ca.pem --token-file "
           "join-token\n"
           "  reckon agent --manager 10.77.1.1:4180 --token-file token --lab quad/h0\n"
           "It joins with the token and gets a secret of its own, in its folder: the token is not\n"
           "needed again. Ctrl-C or SIGTERM ends it; what runs here goes on, and the next agent\n"
           "takes it over.\n";
  }

  void Declare(OptionSet& options) override {
    options.Text("--manager", &request_.manager, "HOST:PORT or https://HOST:PORT of reckon serve");
    options.Text("--token-file", &request_.token_file, "with what it joins, once");
    options.Text("--tls-ca", &request_.tls_ca,
                 "PEM: whom to believe (default: the system's roots)");
    options.Text("--name", &request_.name, "of this node (default: the machine's)");
    options.Text("--type", &request_.type, "of this node (default: its name without number)");
    options.Text("--lab", &request_.lab, "LAB/HOST: speak for a host of a lab on this machine");
    options.Text("--address", &request_.address, "at which other nodes reach this one");
    options.Text("--folder", &request_.folder,
                 "for parts of runs (default: reckon-agent.NAME here)");
    options.Text("--price", &price_, "dollars an hour, for the spend of runs");
    options.Texts("--share", &request_.shared,
                  "a folder that what runs in a sandbox may read, like data; may be repeated");
    options.Text(
        "--sandbox", &request_.sandbox,
        "which commands of jobs run in one: sent (those whose code was sent; default), all, "
        "none");
    options.Texts("--app", &request_.apps,
                  "NAME=DEADLINE: must keep answering in time beside what trains here; may be "
                  "repeated");
  }

  base::Result<Output> Run(const app::Context& context) override {
    RECKON_ASSIGN(const auto price, AmountOf(price_, "--price"));
    request_.price_per_hour = price.value_or(0);
    RECKON_TRY(app::RunAgentOf(request_, context));
    Output output;
    output.result_on_stdout = true;
    return output;
  }

 private:
  app::AgentRequest request_;
  std::string price_;
};

}  // namespace

std::unique_ptr<Command> MakeServeCommand() { return std::make_unique<ServeCommand>(); }
std::unique_ptr<Command> MakeAgentCommand() { return std::make_unique<AgentCommand>(); }

}  // namespace reckon::cli
