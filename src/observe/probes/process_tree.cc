#include "observe/probes/process_tree.h"

#include <array>
#include <cstdio>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "base/text.h"

namespace reckon::observe {
namespace {

// Files of /proc are made when they are read: one read into a buffer of ours, no size to ask for.
std::optional<std::string> ReadProcFile(const std::string& path) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return std::nullopt;
  std::array<char, 4096> buffer{};
  const ssize_t count = read(descriptor, buffer.data(), buffer.size());
  close(descriptor);
  if (count <= 0) return std::nullopt;
  return std::string(buffer.data(), static_cast<size_t>(count));
}

std::optional<ProcessEntry> ReadProcess(pid_t pid, double tick_s) {
  const auto text = ReadProcFile(fmt::format("/proc/{}/stat", pid));
  if (!text) return std::nullopt;
  // "pid (name) state parent ...": the name may hold blanks and parentheses.
  const size_t name_end = text->rfind(')');
  if (name_end == std::string::npos || name_end + 2 >= text->size()) return std::nullopt;
  const auto fields = base::Split(std::string_view(*text).substr(name_end + 2), ' ');
  constexpr size_t kState = 0;
  constexpr size_t kParent = 1;
  constexpr size_t kTimes = 11;  // utime stime cutime cstime
  if (fields.size() < kTimes + 4) return std::nullopt;
  ProcessEntry entry;
  entry.pid = pid;
  entry.parent = static_cast<pid_t>(base::ParseInteger(fields[kParent]).value_or(0));
  entry.zombie = fields[kState] == "Z" || fields[kState] == "X";
  const auto seconds = [&](size_t field) {
    return base::ParseNumber(fields[field]).value_or(0) * tick_s;
  };
  entry.cpu_s = seconds(kTimes) + seconds(kTimes + 1);
  entry.waited_cpu_s = seconds(kTimes + 2) + seconds(kTimes + 3);
  return entry;
}

std::optional<uint64_t> ProportionalSet(pid_t pid) {
  const auto text = ReadProcFile(fmt::format("/proc/{}/smaps_rollup", pid));
  if (!text) return std::nullopt;
  for (const std::string_view line : base::Split(*text, '\n')) {
    unsigned long long kilobytes = 0;  // NOLINT(google-runtime-int): what sscanf knows
    if (line.starts_with("Pss:") &&
        sscanf(std::string(line).c_str(), "Pss: %llu", &kilobytes) == 1) {
      return uint64_t{kilobytes} * 1024;
    }
  }
  return std::nullopt;
}

uint64_t ResidentSet(pid_t pid) {
  const auto text = ReadProcFile(fmt::format("/proc/{}/statm", pid));
  if (!text) return 0;
  const auto fields = base::Split(*text, ' ');
  if (fields.size() < 2) return 0;
  return static_cast<uint64_t>(base::ParseInteger(fields[1]).value_or(0)) *
         static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace

std::vector<ProcessEntry> Descendants(pid_t root) {
  std::multimap<pid_t, ProcessEntry> by_parent;
  const double tick_s = 1.0 / static_cast<double>(sysconf(_SC_CLK_TCK));
  DIR* folder = opendir("/proc");
  if (folder == nullptr) return {};
  // This folder is ours alone; readdir is safe.
  while (const dirent* entry = readdir(folder)) {  // NOLINT(concurrency-mt-unsafe)
    if (entry->d_name[0] < '1' || entry->d_name[0] > '9') continue;
    const auto pid = base::ParseInteger(entry->d_name);
    if (!pid) continue;
    const auto process = ReadProcess(static_cast<pid_t>(*pid), tick_s);
    if (process) by_parent.emplace(process->parent, *process);
  }
  closedir(folder);
  std::vector<ProcessEntry> found;
  const auto take = [&](pid_t parent) {
    const auto [begin, end] = by_parent.equal_range(parent);
    for (auto at = begin; at != end; ++at) found.push_back(at->second);
    by_parent.erase(begin, end);  // numbers used anew could make a circle
  };
  take(root);
  for (size_t next = 0; next < found.size(); ++next) take(found[next].pid);
  return found;
}

uint64_t MemoryOf(const std::vector<ProcessEntry>& processes) {
  size_t living = 0;
  for (const ProcessEntry& process : processes) living += process.zombie ? 0 : 1;
  uint64_t bytes = 0;
  for (const ProcessEntry& process : processes) {
    if (process.zombie) continue;
    const auto proportional = living > 1 ? ProportionalSet(process.pid) : std::nullopt;
    bytes += proportional ? *proportional : ResidentSet(process.pid);
  }
  return bytes;
}

ProcessDiskBytes DiskBytesOf(pid_t pid) {
  ProcessDiskBytes bytes;
  const auto text = ReadProcFile(fmt::format("/proc/{}/io", pid));
  if (!text) return bytes;
  for (const std::string_view line : base::Split(*text, '\n')) {
    for (const auto& [name, into] :
         {std::pair<std::string_view, uint64_t*>("read_bytes: ", &bytes.read),
          std::pair<std::string_view, uint64_t*>("write_bytes: ", &bytes.written)}) {
      if (!line.starts_with(name)) continue;
      *into = static_cast<uint64_t>(base::ParseInteger(line.substr(name.size())).value_or(0));
    }
  }
  return bytes;
}

}  // namespace reckon::observe
