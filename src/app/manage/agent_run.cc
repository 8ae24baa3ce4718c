#include "app/manage/agent_run.h"

#include <array>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include "act/agents/agent.h"
#include "act/agents/lab_seat.h"
#include "base/field_reader.h"
#include "base/file.h"
#include "base/text.h"
#include "base/version.h"
#include "core/node.h"
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

}  // namespace

base::Result<std::string> ReadTokenFile(const std::string& path) {
  if (path.empty()) return std::string();
  RECKON_ASSIGN(const std::string text, base::ReadFile(path));
  std::string token = text.substr(0, text.find('\n'));
  if (token.empty()) return base::BadInput(path + ": the first line is no token");
  return token;
}

base::Status RunAgentOf(const AgentRequest& request, const Context& context) {
  if (request.manager.empty())
    return base::BadInput("no manager to work for (--manager HOST:PORT)");
  auto manager = net::ParseAddress(request.manager);
  if (!manager.ok()) return std::move(manager).error().Wrap("--manager");
  act::AgentOptions options;
  options.manager = *manager;
  RECKON_ASSIGN(options.token, ReadTokenFile(request.token_file));
  RECKON_ASSIGN(options.seat, SeatOf(request, *manager));
  act::NodeInfo& node = options.seat.node;
  if (!request.name.empty()) node.name = request.name;
  if (node.name.empty()) node.name = MachineName();
  if (!base::IsPlainName(node.name)) {
    return base::BadInput(fmt::format("--name {}: expected letters, digits and '._+-'", node.name));
  }
  node.type = request.type.empty() ? core::TypeOfNode(node.name) : request.type;
  node.price_per_hour = request.price_per_hour;
  node.version = base::Version();
  options.folder = std::filesystem::absolute(request.folder.empty() ? "reckon-agent." + node.name
                                                                    : request.folder);
  std::error_code error;
  options.programs = std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
  context.log.Info(fmt::format("agent of node '{}' ({}, {:.4g} cpus), parts in {}", node.name,
                               node.type, node.cpus, options.folder.string()));
  return act::RunAgent(options, context.clock, context.log, context.stop);
}

}  // namespace reckon::app
