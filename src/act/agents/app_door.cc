#include "act/agents/app_door.h"

#include <algorithm>
#include <chrono>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/json.h"
#include "base/random_token.h"
#include "base/text.h"
#include "observe/events/report.h"

namespace reckon::act {
namespace {

namespace fs = std::filesystem;
using base::Result;
using base::Status;

constexpr std::chrono::seconds kWindow{10};
constexpr size_t kMostTold = 20'000;  // of an app, in the window
constexpr const char* kPath = "/apps/";
constexpr unsigned kPrivate = 0600;

net::HttpResponse Refuse(int status, const std::string& why) {
  return {status, "application/json", base::DumpJsonLine({{"error", why}})};
}

// What a line "NAME=VALUE" of an earlier environment says; "": nothing.
std::string ValueOf(const fs::path& file, const std::string& name) {
  const auto text = base::ReadFile(file);
  if (!text.ok()) return "";
  for (const std::string_view line : base::Split(*text, '\n')) {
    if (line.starts_with(name + "=")) return std::string(line.substr(name.size() + 1));
  }
  return "";
}

fs::path EnvironmentFile(const fs::path& folder, const std::string& app) {
  return folder / "apps" / (app + ".env");
}

// The port that apps know already; 0: any.
uint16_t PortOf(const fs::path& folder, const std::string& app) {
  const std::string url = ValueOf(EnvironmentFile(folder, app), "RECKON_STATUS_URL");
  const size_t colon = url.rfind(':');
  if (colon == std::string::npos) return 0;
  const auto port = base::ParseInteger(url.substr(colon + 1, url.find('/', colon) - colon - 1));
  return port && *port > 0 && *port <= UINT16_MAX ? static_cast<uint16_t>(*port) : 0;
}

}  // namespace

AppDoor::AppDoor(const NodeInfo& node, const base::Clock& clock)
    : dilation_(node.dilation), clock_(clock) {
  for (const auto& [name, deadline] : node.apps) apps_[name].deadline_s = deadline;
}

Result<std::unique_ptr<AppDoor>> AppDoor::Open(const fs::path& folder, const NodeInfo& node,
                                               const base::Clock& clock) {
  std::unique_ptr<AppDoor> door(new AppDoor(node, clock));
  RECKON_TRY(door->ReadTokens(folder));
  const auto listen = [&](uint16_t port) {
    net::HttpServerOptions options;
    options.listen.port = port;
    return net::HttpServer::Start(options, [raw = door.get()](const net::HttpRequest& request) {
      return raw->Take(request);
    });
  };
  auto server = listen(PortOf(folder, door->apps_.begin()->first));
  if (!server.ok()) server = listen(0);  // somebody else has it now
  if (!server.ok()) return std::move(server).error();
  door->server_ = *std::move(server);
  RECKON_TRY(door->WriteEnvironments(folder));
  return door;
}

// Apps that run already go on with what they know.
Status AppDoor::ReadTokens(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder / "apps", error);
  if (error) {
    return base::Error(base::ErrorCode::kIo,
                       fmt::format("{}: {}", (folder / "apps").string(), error.message()));
  }
  for (auto& [name, app] : apps_) {
    app.token = ValueOf(EnvironmentFile(folder, name), "RECKON_TOKEN");
    if (!app.token.empty()) continue;
    RECKON_ASSIGN(app.token, base::RandomToken());
  }
  return {};
}

Status AppDoor::WriteEnvironments(const fs::path& folder) const {
  for (const auto& [name, app] : apps_) {
    const std::string text = fmt::format(
        "RECKON_STATUS_URL=http://127.0.0.1:{}{}{}\nRECKON_TOKEN={}\nRECKON_ROLE=background\n",
        server_->port(), kPath, name, app.token);
    RECKON_TRY(base::WriteFile(EnvironmentFile(folder, name), text, kPrivate));
  }
  return {};
}

std::string AppDoor::AppOf(const net::HttpRequest& request) const {
  const auto shown = request.headers.find("authorization");
  if (shown == request.headers.end() || !request.target.starts_with(kPath)) return "";
  const auto app = apps_.find(request.target.substr(std::string_view(kPath).size()));
  if (app == apps_.end()) return "";
  return base::SameSecret(shown->second, "Bearer " + app->second.token) ? app->first : "";
}

net::HttpResponse AppDoor::Take(const net::HttpRequest& request) {
  const std::string app = AppOf(request);
  if (app.empty()) return Refuse(401, "no app of this node, or not its token");
  if (request.method != "POST") return Refuse(405, "reports come by POST");
  const auto report = observe::ParseReport(request.body, clock_.Now());
  if (!report.ok()) return Refuse(400, report.error().Describe());
  const base::MonotonicTime now = clock_.Monotonic();
  const std::scoped_lock lock(mutex_);
  std::deque<Told>& told = told_[app];
  for (const base::Json& event : report->events) {
    if (event.at("kind") != "latency") continue;
    for (const base::Json& seconds : event.at("seconds")) {
      told.push_back({now, seconds.get<double>() / dilation_});
    }
  }
  while (told.size() > kMostTold) told.pop_front();
  return {204, "application/json", ""};
}

std::map<std::string, AppNow> AppDoor::Now() const {
  constexpr double kHigh = 0.95;
  const base::MonotonicTime begin = clock_.Monotonic() - kWindow;
  const std::scoped_lock lock(mutex_);
  std::map<std::string, AppNow> all;
  for (auto& [name, told] : told_) {
    while (!told.empty() && told.front().at < begin) told.pop_front();
    if (told.empty()) continue;
    std::vector<double> seconds;
    for (const Told& one : told) seconds.push_back(one.seconds);
    std::sort(seconds.begin(), seconds.end());
    AppNow& now = all[name];
    now.answers = seconds.size();
    for (const double one : seconds) now.mean_s += one / static_cast<double>(seconds.size());
    const auto rank = static_cast<size_t>(kHigh * static_cast<double>(seconds.size() - 1) + 0.5);
    now.p95_s = seconds[rank];
    now.missed = static_cast<uint64_t>(std::count_if(
        seconds.begin(), seconds.end(),
        [deadline = apps_.at(name).deadline_s](double one) { return one > deadline; }));
  }
  return all;
}

}  // namespace reckon::act
