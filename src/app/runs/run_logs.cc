// ReadLogs: what a run's processes print.
#include <algorithm>
#include <chrono>
#include <fstream>
#include <map>
#include <thread>

#include <fmt/format.h>

#include "act/local/run_folder.h"
#include "app/runs/run_files.h"
#include "app/runs/runs.h"
#include "base/text.h"

namespace reckon::app {
namespace {

constexpr std::chrono::milliseconds kLogLook{200};

// One growing file.
struct Tail {
  std::string name;
  std::filesystem::path path;
  std::streamoff position = 0;
  std::string rest;
};

void ReadOn(Tail& tail, bool at_end,
            const std::function<void(std::string_view, std::string_view)>& line) {
  std::ifstream file(tail.path, std::ios::binary);
  if (file) {
    file.seekg(tail.position);
    std::string text((std::istreambuf_iterator<char>(file)), {});
    tail.position += static_cast<std::streamoff>(text.size());
    tail.rest += text;
  }
  size_t begin = 0;
  for (size_t end = tail.rest.find('\n'); end != std::string::npos;
       end = tail.rest.find('\n', begin)) {
    line(tail.name, std::string_view(tail.rest).substr(begin, end - begin));
    begin = end + 1;
  }
  tail.rest.erase(0, begin);
  if (at_end && !tail.rest.empty()) {
    line(tail.name, tail.rest);
    tail.rest.clear();
  }
}

// Logs that have come since the last look, in the order of their names.
void FindLogs(const std::filesystem::path& folder, const std::vector<std::string>& wanted,
              std::vector<Tail>& tails) {
  std::error_code error;
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (entry.path().extension() == ".log") names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  for (const std::string& name : names) {
    const bool asked = wanted.empty()
                           ? name != "supervisor"
                           : std::find(wanted.begin(), wanted.end(), name) != wanted.end();
    const bool known = std::any_of(tails.begin(), tails.end(),
                                   [&](const Tail& tail) { return tail.name == name; });
    if (asked && !known) tails.push_back({name, folder / (name + ".log"), 0, {}});
  }
}

}  // namespace

base::Status ReadLogs(const LogsRequest& request, const Context& context,
                      const std::function<void(std::string_view, std::string_view)>& line) {
  RECKON_ASSIGN(const RunReport report, FindRunReport(request.run, context));
  const act::RunFolder folder(report.folder);
  std::vector<Tail> tails;
  bool last = false;
  while (true) {
    RECKON_ASSIGN(const bool lives, act::SupervisorLives(folder));
    last = !request.follow || context.stop.stop_requested() || !lives;
    FindLogs(folder.path, request.processes, tails);
    for (Tail& tail : tails) ReadOn(tail, last, line);
    if (last) break;
    std::this_thread::sleep_for(kLogLook);
  }
  for (const std::string& wanted : request.processes) {
    const bool found = std::any_of(tails.begin(), tails.end(),
                                   [&](const Tail& tail) { return tail.name == wanted; });
    if (found) continue;
    std::vector<Tail> all;
    FindLogs(folder.path, {}, all);
    std::vector<std::string> names;
    for (const Tail& tail : all) names.push_back(tail.name);
    return base::BadInput(fmt::format("run {} has no log '{}'{}", report.run.id, wanted,
                                      base::SuggestFrom(wanted, names)));
  }
  return {};
}

}  // namespace reckon::app
