// ReadLogs: what a run's processes print.
#include <algorithm>
#include <chrono>
#include <fstream>
#include <thread>

#include <fmt/format.h>

#include "act/local/run_folder.h"
#include "act/local/setups.h"
#include "act/local/supervisor.h"
#include "app/runs/run_files.h"
#include "app/runs/runs.h"
#include "base/text.h"

namespace reckon::app {
namespace {

constexpr std::chrono::milliseconds kLogLook{200};
constexpr size_t kChunkBytes = 64 << 10;
// A line that is longer comes in pieces: what a process prints has no bound.
constexpr size_t kMostLineBytes = 64 << 10;

// One growing file.
struct Tail {
  std::string name;
  std::filesystem::path path;
  std::streamoff position = 0;
  std::string rest = {};  // of a line that has not ended
  bool returned = false;  // the last line ended with '\r', and a '\n' belongs to it
};

// Bars that are drawn again and again end with '\r'; each drawing counts as a line.
base::Status CutLines(std::string_view text, Tail& tail, const LogLine& line) {
  while (!text.empty()) {
    const size_t end = text.find_first_of("\r\n");
    tail.rest += text.substr(0, end);
    if (end == std::string_view::npos) {
      if (tail.rest.size() < kMostLineBytes) return {};
      RECKON_TRY(line(tail.name, tail.rest));
      tail.rest.clear();
      return {};
    }
    const bool is_return = text[end] == '\r';
    const bool empty = tail.rest.empty();
    if (is_return ? !empty : !(empty && tail.returned)) RECKON_TRY(line(tail.name, tail.rest));
    tail.returned = is_return && !empty;
    tail.rest.clear();
    text.remove_prefix(end + 1);
  }
  return {};
}

base::Status ReadOn(Tail& tail, bool at_end, const LogLine& line) {
  std::ifstream file(tail.path, std::ios::binary);
  file.seekg(tail.position);
  std::string chunk(kChunkBytes, '\0');
  while (file.read(chunk.data(), kChunkBytes), file.gcount() > 0) {
    tail.position += file.gcount();
    const std::string_view text(chunk.data(), static_cast<size_t>(file.gcount()));
    RECKON_TRY(CutLines(text, tail, line));
  }
  if (!at_end || tail.rest.empty()) return {};
  return line(tail.name, tail.rest);
}

std::vector<std::string> NamesOfLogs(const std::filesystem::path& folder) {
  std::error_code error;
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (entry.path().extension() == ".log") names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

bool IsAmong(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Logs that have come since the last look, in the order of their names.
void FindLogs(const std::filesystem::path& folder, const std::vector<std::string>& wanted,
              std::vector<Tail>& tails) {
  for (const std::string& name : NamesOfLogs(folder)) {
    const bool asked = wanted.empty() ? name != "supervisor" : IsAmong(wanted, name);
    const bool known = std::any_of(tails.begin(), tails.end(),
                                   [&](const Tail& tail) { return tail.name == name; });
    if (asked && !known) tails.push_back({name, folder / (name + ".log")});
  }
}

// The logs that are there and, for who can wait, those that will come.
base::Status CheckNames(const LogsRequest& request, int64_t run_id, const act::RunFolder& folder) {
  std::vector<std::string> names = NamesOfLogs(folder.path);
  if (request.follow) {
    if (const auto spec = act::ReadLaunchSpec(folder); spec.ok()) {
      std::vector<act::ProcessSpec> processes = act::SetupsOf(*spec, folder);
      processes.insert(processes.end(), spec->processes.begin(), spec->processes.end());
      for (const act::ProcessSpec& process : processes) {
        names.push_back(std::filesystem::path(process.log).stem().string());
      }
    }
  }
  for (const std::string& wanted : request.processes) {
    if (IsAmong(names, wanted)) continue;
    return base::BadInput(
        fmt::format("run {} has no log '{}'{}", run_id, wanted, base::SuggestFrom(wanted, names)));
  }
  return {};
}

}  // namespace

base::Status ReadLogs(const LogsRequest& request, const Context& context, const LogLine& line) {
  RECKON_ASSIGN(const RunReport report, FindRunReport(request.run, context));
  if (const std::string elsewhere = KeptElsewhere(context.db, report.run); !elsewhere.empty()) {
    return base::BadInput(fmt::format("run {}: {}", report.run.id, elsewhere));
  }
  const act::RunFolder folder(report.folder);
  RECKON_TRY(CheckNames(request, report.run.id, folder));
  std::vector<Tail> tails;
  while (true) {
    RECKON_ASSIGN(const bool lives, act::SupervisorLives(folder));
    const bool last = !request.follow || context.stop.stop_requested() || !lives;
    FindLogs(folder.path, request.processes, tails);
    for (Tail& tail : tails) RECKON_TRY(ReadOn(tail, last, line));
    if (last) return {};
    std::this_thread::sleep_for(kLogLook);
  }
}

}  // namespace reckon::app
