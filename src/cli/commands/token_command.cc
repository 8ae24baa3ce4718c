// token: what callers of the service show.
#include <cstdio>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/access/audit_log.h"
#include "app/access/local_access.h"
#include "app/manage/remote.h"
#include "base/json.h"
#include "cli/amounts.h"
#include "cli/command.h"
#include "cli/commands/all.h"
#include "cli/server_options.h"
#include "cli/text_table.h"

namespace reckon::cli {
namespace {

using base::Json;

std::string TextAt(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_string() ? found->get<std::string>() : "";
}

// "2026-01-31 08:05" of a time as JSON has it.
std::string Minute(const Json& json, const char* key) {
  std::string time = TextAt(json, key);
  if (time.size() < 16) return "-";
  time[10] = ' ';
  return time.substr(0, 16);
}

std::string UsesOf(const Json& token) {
  if (TextAt(token, "scope") != "agent") return "-";
  const int64_t uses = token.value("uses", int64_t{0});
  const auto most = token.find("most_uses");
  const bool limited = most != token.end() && most->is_number();
  return limited ? fmt::format("{} of {}", uses, most->get<int64_t>()) : std::to_string(uses);
}

std::string TokenTable(const Json& report) {
  TextTable table;
  table.AddColumn("number", TextTable::Align::kRight);
  for (const char* heading :
       {"name", "scope", "user", "project", "made", "expires", "last used", "nodes", ""}) {
    table.AddColumn(heading, TextTable::Align::kLeft);
  }
  for (const Json& token : report.value("tokens", Json::array())) {
    table.AddRow({std::to_string(token.value("id", int64_t{0})), TextAt(token, "name"),
                  TextAt(token, "scope"), TextAt(token, "user"), TextAt(token, "project"),
                  Minute(token, "created_at"), Minute(token, "expires_at"),
                  Minute(token, "last_used_at"), UsesOf(token),
                  TextAt(token, "revoked_at").empty() ? "" : "revoked"});
  }
  return table.Render();
}

class TokenCommand final : public Command {
 public:
  std::string name() const override { return "token"; }
  std::string summary() const override { return "who may call a manager: make, list, revoke"; }
  std::string details() const override {
    return "Examples:\n"
           "  reckon token create ada --scope admin > token    shown this once\n"
           "  reckon token create grafana --scope viewer --expires 90d --user Ops\n"
           "  reckon token create rack7 --join --expires 1h --uses 12 > join-token\n"
           "  reckon token list --server https://HOST:4180 --token-file token\n"
           "  reckon token revoke grafana\n"
           "Without --server in the store itself. viewer reads, operator also runs and stops, "
           "admin\n"
           "does everything; a join token only lets agents join.\n";
  }

  void Declare(OptionSet& options) override {
    options.Positional("action", &action_, "create, list or revoke");
    options.Positional("which", &which_, "its name; for revoke also its number");
    options.Text("--scope", &wish_.scope, "viewer, operator, admin or agent");
    options.Flag("--join", &join_, "a join token for agents: the same as --scope agent");
    options.Text("--user", &wish_.user, "who it is for");
    options.Text("--project", &wish_.project, "what it is for");
    options.Text("--expires", &expires_, "how long it is good for: 12h, 90d (default: for ever)");
    options.OptionalWhole("--uses", &uses_, 1, "how many nodes may join with it (default: any)");
    DeclareServer(options, remote_);
  }

  base::Result<Output> Run(const app::Context& context) override {
    if (action_ == "create") return Create(context);
    if (action_ == "list") return List(context);
    if (action_ == "revoke") return Revoke(context);
    return base::BadInput(fmt::format("expected create, list or revoke, found '{}'", action_));
  }

 private:
  base::Result<Output> Create(const app::Context& context) {
    wish_.name = which_;
    if (join_) {
      if (!wish_.scope.empty() && wish_.scope != "agent") {
        return base::BadInput("--join is for scope agent, not --scope " + wish_.scope);
      }
      wish_.scope = "agent";
    }
    RECKON_ASSIGN(wish_.lifetime_s, DurationOf(expires_, "--expires"));
    if (uses_) wish_.most_uses = static_cast<int64_t>(*uses_);
    Json made;
    if (remote_.server.empty()) {
      RECKON_ASSIGN(made, app::MakeTokenHere(wish_, context));
    } else {
      RECKON_ASSIGN(app::Remote remote, app::Remote::Open(remote_));
      RECKON_ASSIGN(made, remote.MakeToken(wish_));
    }
    context.log.Warn("the token is shown only now; keep it where others cannot read it");
    Output output;
    output.text = TextAt(made, "token") + "\n";  // alone, for a file
    output.json = base::DumpJson(made);
    return output;
  }

  base::Result<Output> List(const app::Context& context) {
    if (!which_.empty()) return base::BadInput("list takes no name, found '" + which_ + "'");
    Json tokens;
    if (remote_.server.empty()) {
      RECKON_ASSIGN(tokens, app::TokensHere(context));
    } else {
      RECKON_ASSIGN(app::Remote remote, app::Remote::Open(remote_));
      RECKON_ASSIGN(tokens, remote.Tokens());
    }
    Output output;
    output.text = TokenTable(tokens);
    output.json = base::DumpJson(tokens);
    return output;
  }

  base::Result<Output> Revoke(const app::Context& context) {
    if (which_.empty()) return base::BadInput("which token? expected its name or number");
    Json revoked;
    if (remote_.server.empty()) {
      RECKON_ASSIGN(revoked, app::RevokeTokenHere(which_, context));
    } else {
      RECKON_ASSIGN(app::Remote remote, app::Remote::Open(remote_));
      RECKON_ASSIGN(revoked, remote.RevokeToken(which_));
    }
    Output output;
    output.text = fmt::format("token '{}' is revoked\n", TextAt(revoked, "name"));
    output.json = base::DumpJson(revoked);
    return output;
  }

  std::string action_;
  std::string which_;
  app::TokenWish wish_;
  bool join_ = false;
  std::string expires_;
  std::optional<size_t> uses_;
  app::RemoteRequest remote_;
};

class AuditCommand final : public Command {
 public:
  std::string name() const override { return "audit"; }
  std::string summary() const override { return "who changed what, and who was turned away"; }
  std::string details() const override {
    return "Examples:\n"
           "  reckon audit\n"
           "  reckon audit --limit 1000 --json\n"
           "  reckon audit --server https://HOST:4180 --token-file token\n"
           "Newest first. The file is reckon.audit.jsonl beside the store.\n";
  }
  void Declare(OptionSet& options) override {
    options.Whole("--limit", &limit_, 1, 1000, "lines (default 100)");
    DeclareServer(options, remote_);
  }

  base::Result<Output> Run(const app::Context& context) override {
    Json report;
    if (remote_.server.empty()) {
      RECKON_ASSIGN(const std::vector<Json> lines,
                    app::ReadAudit(app::AuditFile(context.db), limit_, std::nullopt));
      report = {{"audit", lines}};
    } else {
      RECKON_ASSIGN(app::Remote remote, app::Remote::Open(remote_));
      RECKON_ASSIGN(report, remote.Audit(limit_));
    }
    Output output;
    output.text = Table(report);
    output.json = base::DumpJson(report);
    return output;
  }

 private:
  static std::string Table(const Json& report) {
    TextTable table;
    table.AddColumn("number", TextTable::Align::kRight);
    for (const char* heading : {"when", "token", "user", "from", "what", "answer"}) {
      table.AddColumn(heading, TextTable::Align::kLeft);
    }
    for (const Json& line : report.value("audit", Json::array())) {
      std::string what = TextAt(line, "method") + " " + TextAt(line, "route");
      const Json path = line.value("path", Json::object());
      for (const auto& [key, value] : path.items()) {
        what += fmt::format(" {}={}", key, value.is_string() ? value.get<std::string>() : "");
      }
      std::string answer = std::to_string(line.value("status", 0));
      if (const std::string why = TextAt(line, "why"); !why.empty()) answer += ": " + why;
      table.AddRow({std::to_string(line.value("id", int64_t{0})), TextAt(line, "at").substr(0, 19),
                    TextAt(line, "token"), TextAt(line, "user"), TextAt(line, "from"), what,
                    answer});
    }
    return table.Render();
  }

  uint64_t limit_ = 100;
  app::RemoteRequest remote_;
};

}  // namespace

std::unique_ptr<Command> MakeTokenCommand() { return std::make_unique<TokenCommand>(); }
std::unique_ptr<Command> MakeAuditCommand() { return std::make_unique<AuditCommand>(); }

}  // namespace reckon::cli
