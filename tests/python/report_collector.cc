// Takes reports as a supervisor does and prints them: the port on the first line, then for each
// event {"rank": .., "role": .., "sender": .., "event": {..}} on a line of its own. Ends when its
// input ends; the exit code is 1 when a report was refused, and standard error says why.
//
//   report_collector TOKEN
#include <atomic>
#include <iostream>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "base/json.h"
#include "net/http_server.h"
#include "observe/events/report.h"

int main(int argc, char** argv) {
  using reckon::net::HttpResponse;
  if (argc != 2) {
    std::cerr << "usage: report_collector TOKEN\n";
    return 2;
  }
  const std::string expected = fmt::format("Bearer {}", argv[1]);
  const reckon::base::SystemClock clock;
  std::atomic<bool> refused = false;
  const auto refuse = [&](int status, const std::string& why) {
    refused = true;
    std::cerr << why << std::endl;
    return HttpResponse{status, "application/json", reckon::base::DumpJsonLine({{"error", why}})};
  };
  auto server = reckon::net::HttpServer::Start({}, [&](const reckon::net::HttpRequest& request) {
    const auto token = request.headers.find("authorization");
    if (token == request.headers.end() || token->second != expected) {
      return refuse(401, "wrong token");
    }
    auto report = reckon::observe::ParseReport(request.body, clock.Now());
    if (!report.ok()) return refuse(400, report.error().Describe());
    for (const reckon::base::Json& event : report->events) {
      std::cout << reckon::base::DumpJsonLine({{"rank", report->rank},
                                               {"role", report->role},
                                               {"sender", report->sender},
                                               {"event", event}})
                << std::endl;
    }
    return HttpResponse{204, "", ""};
  });
  if (!server.ok()) {
    std::cerr << server.error().Describe() << "\n";
    return 1;
  }
  std::cout << (*server)->port() << std::endl;
  std::string line;
  while (std::getline(std::cin, line)) {
  }
  return refused ? 1 : 0;
}
