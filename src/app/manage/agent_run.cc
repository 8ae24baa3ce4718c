#include "app/manage/agent_run.h"

#include <array>
#include <filesystem>
#include <map>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include "act/agents/agent.h"
#include "act/agents/lab_seat.h"
#include "base/field_reader.h"
#include "base/file.h"
#include "base/text.h"
#include "base/units.h"
#include "base/version.h"
#include "core/node.h"
#include "net/http_client.h"
#include "net/local_address.h"

namespace reckon::app {
namespace {

std::string MachineName() {
  std::array<char, 256> name{};
  if (gethostname(name.data(), name.size() - 1) != 0) return "node";
  return name.data();
}

base::Result<act::NodeSeat> SeatOf(const AgentRequest& request, const net::Address& manager) {
  if (!request.lab.empty()) {
    const size_t slash = request.lab.find('/');
    if (slash == std::string::npos) {
      return base::BadInput(fmt::format("--lab {}: expected LAB/HOST", request.lab));
    }
    return act::JoinLabHost(request.lab.substr(0, slash), request.lab.substr(slash + 1));
  }
  if (!request.address.empty()) return act::MachineSeat(request.address);
  RECKON_ASSIGN(const std::string address, net::AddressTowards(manager));
  return act::MachineSeat(address);
}

base::Result<act::SandboxUse> ParseSandboxUse(const std::string& text) {
  for (const auto& [name, use] :
       {std::pair("sent", act::SandboxUse::kSent), std::pair("all", act::SandboxUse::kAll),
        std::pair("none", act::SandboxUse::kNone)}) {
    if (text == name) return use;
  }
  return base::BadInput(fmt::format("--sandbox {}: expected sent, all or none", text));
}

base::Result<std::map<std::string, double>> AppsOf(const std::vector<std::string>& texts) {
  std::map<std::string, double> apps;
  for (const std::string& text : texts) {
    const size_t equals = text.find('=');
    if (equals == 0 || equals == std::string::npos) {
      return base::BadInput(fmt::format("--app {}: expected NAME=DEADLINE, as sift=200ms", text));
    }
    if (!base::IsPlainName(text.substr(0, equals))) {
      return base::BadInput(
          fmt::format("--app {}: expected a name of letters, digits and '._+-'", text));
    }
    auto deadline = base::ParseDurationS(text.substr(equals + 1));
    if (!deadline.ok()) return std::move(deadline).error().Wrap("--app " + text);
    if (!(*deadline > 0)) return base::BadInput(fmt::format("--app {}: no deadline", text));
    apps[text.substr(0, equals)] = *deadline;
  }
  return apps;
}

}  // namespace

base::Result<std::string> ReadTokenFile(const std::string& path) {
  if (path.empty()) return std::string();
  RECKON_ASSIGN(const std::string text, base::ReadFile(path));
  std::string token = text.substr(0, text.find('\n'));
  if (token.empty()) return base::BadInput(path + ": the first line is no token");
  return token;
}

base::Result<ManagerPlace> ParseManager(const std::string& text, const std::string& tls_ca) {
  const bool is_url = text.find("://") != std::string::npos;
  if (!is_url) {
    // HOST alone would be port 80, which nobody means.
    RECKON_ASSIGN(const net::Address address, net::ParseAddress(text));
    if (!tls_ca.empty()) {
      return base::BadInput(fmt::format("--tls-ca is for https://{}", text));
    }
    return ManagerPlace{address, nullptr};
  }
  RECKON_ASSIGN(const net::Url url, net::ParseUrl(text));
  if (url.target != "/") {
    return base::BadInput(
        fmt::format("'{}' has a path; expected https://HOST:PORT or http://HOST:PORT", text));
  }
  ManagerPlace place{url.address, nullptr};
  if (url.secure) {
    auto trust = net::TlsTrust::Load(tls_ca);
    if (!trust.ok()) return std::move(trust).error().Wrap("--tls-ca");
    place.tls = *std::move(trust);
  } else if (!tls_ca.empty()) {
    return base::BadInput("--tls-ca is for https, not " + text);
  }
  return place;
}

base::Status RunAgentOf(const AgentRequest& request, const Context& context) {
  if (request.manager.empty())
    return base::BadInput("no manager to work for (--manager HOST:PORT)");
  auto manager = ParseManager(request.manager, request.tls_ca);
  if (!manager.ok()) return std::move(manager).error().Wrap("--manager");
  act::AgentOptions options;
  options.manager = manager->address;
  options.tls = manager->tls;
  RECKON_ASSIGN(options.token, ReadTokenFile(request.token_file));
  RECKON_ASSIGN(options.seat, SeatOf(request, manager->address));
  act::NodeInfo& node = options.seat.node;
  if (!request.name.empty()) node.name = request.name;
  if (node.name.empty()) node.name = MachineName();
  if (!base::IsPlainName(node.name)) {
    return base::BadInput(fmt::format("--name {}: expected letters, digits and '._+-'", node.name));
  }
  node.type = request.type.empty() ? core::TypeOfNode(node.name) : request.type;
  node.price_per_hour = request.price_per_hour;
  node.version = base::Version();
  RECKON_ASSIGN(node.apps, AppsOf(request.apps));
  options.folder = std::filesystem::absolute(request.folder.empty() ? "reckon-agent." + node.name
                                                                    : request.folder);
  RECKON_ASSIGN(options.sandbox, ParseSandboxUse(request.sandbox));
  std::error_code error;
  for (const std::string& folder : request.shared) {
    if (!std::filesystem::is_directory(folder, error)) {
      return base::BadInput(fmt::format("--share {}: there is no such folder", folder));
    }
    options.shared.push_back(std::filesystem::absolute(folder).lexically_normal().string());
  }
  options.programs = std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
  context.log.Info(fmt::format("agent of node '{}' ({}, {:.4g} cpus), parts in {}", node.name,
                               node.type, node.cpus, options.folder.string()));
  return act::RunAgent(options, context.clock, context.log, context.stop);
}

}  // namespace reckon::app
