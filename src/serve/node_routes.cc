// Nodes, health and metrics.
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/version.h"
#include "serve/routes.h"

namespace reckon::serve {
namespace {

using base::Json;

Answer ListNodes(const Service& service) {
  Json json{{"nodes", Json::array()}};
  for (const app::KnownNode& node : service.manager.Nodes()) {
    json["nodes"].push_back(app::ToJson(node));
  }
  return JsonResponse(json);
}

// Of apps beside the training, by what their nodes say.
std::string AppMetrics(const std::vector<app::KnownNode>& nodes) {
  std::string latencies =
      "# HELP reckon_app_latency_seconds Within which 95 % of the last answers came.\n"
      "# TYPE reckon_app_latency_seconds gauge\n";
  std::string missed =
      "# HELP reckon_app_missed Answers of the last ten seconds that came too late.\n"
      "# TYPE reckon_app_missed gauge\n";
  bool any = false;
  for (const app::KnownNode& node : nodes) {
    for (const auto& [name, now] : node.now.apps) {
      any = true;
      const std::string of = fmt::format("{{node=\"{}\",app=\"{}\"}}", node.info.name, name);
      latencies += fmt::format("reckon_app_latency_seconds{} {}\n", of, now.p95_s);
      missed += fmt::format("reckon_app_missed{} {}\n", of, now.missed);
    }
  }
  return any ? latencies + missed : "";
}

// In the text format of Prometheus.
Answer Metrics(const Service& service) {
  std::map<std::string, int> standings;
  int lost = 0;
  const auto nodes = service.manager.Nodes();
  for (const app::KnownNode& node : nodes) {
    ++standings[watch::StandingName(node.standing.standing)];
    lost += node.standing.lost ? 1 : 0;
  }
  std::string text = "# HELP reckon_nodes Nodes known, by standing.\n# TYPE reckon_nodes gauge\n";
  for (const auto& [standing, count] : standings) {
    text += fmt::format("reckon_nodes{{standing=\"{}\"}} {}\n", standing, count);
  }
  text += fmt::format(
      "# HELP reckon_nodes_lost Nodes that are silent.\n# TYPE reckon_nodes_lost gauge\n"
      "reckon_nodes_lost {}\n"
      "# HELP reckon_open_runs Runs with something left to do.\n# TYPE reckon_open_runs gauge\n"
      "reckon_open_runs {}\n",
      lost, service.manager.OpenRuns());
  text += AppMetrics(nodes);
  return net::HttpResponse{200, "text/plain; version=0.0.4", text};
}

}  // namespace

std::vector<Route> NodeRoutes(const Service& service, SignIn& sign_in) {
  return {{"GET", "/api/v1/nodes", Scope::kViewer,
           [service](const Call&) { return ListNodes(service); }},
          {"POST", "/api/v1/nodes/{node}/forgive", Scope::kAdmin,
           [service](const Call& call) -> Answer {
             RECKON_TRY(service.manager.ForgiveNode(call.path.at("node")));
             return JsonResponse({{"node", call.path.at("node")}, {"forgiven", true}});
           }},
          {"POST", "/api/v1/nodes/{node}/remove", Scope::kAdmin,
           [service, &sign_in](const Call& call) -> Answer {
             RECKON_TRY(service.manager.RemoveNode(call.path.at("node")));
             sign_in.ForgetNode(call.path.at("node"));
             return JsonResponse({{"node", call.path.at("node")}, {"removed", true}});
           }}};
}

std::vector<Route> HealthRoutes(const Service& service) {
  return {{"GET", "/healthz", Scope::kPublic,
           [](const Call&) -> Answer {
             return JsonResponse({{"status", "ok"}, {"version", base::Version()}});
           }},
          {"GET", "/metrics", Scope::kViewer, [service](const Call&) { return Metrics(service); }}};
}

}  // namespace reckon::serve
