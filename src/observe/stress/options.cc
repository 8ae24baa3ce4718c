#include "observe/stress/options.h"

#include <cstdlib>
#include <optional>
#include <vector>

#include <fmt/format.h>
#include <sched.h>
#include <unistd.h>

#include "base/named_values.h"
#include "base/text.h"
#include "base/units.h"

namespace reckon::observe {

const char* const kStressUsage =
    "usage: reckon-stress [--cpu LEVEL] [--memory LEVEL] [--disk RATE] [--gpu LEVEL] [OPTION "
    "VALUE]...\n"
    "Loads this host until it is stopped (Ctrl-C, SIGTERM) and holds each level as measured; "
    "prints\n"
    "what is measured once a second. Uses stress-ng.\n"
    "  --cpu LEVEL           percent of the host's cores, 0 to 100\n"
    "  --cpus N              real cores that the host may use [all that this process may use]\n"
    "  --memory LEVEL        percent of the host's memory (30%), or an amount (600MB)\n"
    "  --memory-total BYTES  the host's memory [the machine's]\n"
    "  --disk RATE           written a second, as 20MB\n"
    "  --folder DIR          where its files lie while it runs [TMPDIR, or /tmp]\n"
    "  --gpu LEVEL           percent of the machine's GPUs, 0 to 100\n"
    "  --settle TIME         how long the levels may take to be reached [60s]\n";

namespace {

const std::vector<std::string>& OptionNames() {
  static const std::vector<std::string> names{"--cpu",  "--cpus", "--memory", "--memory-total",
                                              "--disk", "--gpu",  "--folder", "--settle"};
  return names;
}

using Values = base::NamedValues;

// "60" or "60%" as 0.6.
std::optional<double> Share(std::string_view text) {
  if (text.ends_with('%')) text.remove_suffix(1);
  const auto percent = base::ParseNumber(text);
  if (!percent || *percent < 0 || *percent > 100) return std::nullopt;
  return *percent / 100;
}

base::Result<double> ShareOption(const Values& values, const std::string& name) {
  const auto found = values.find(name);
  if (found == values.end()) return 0.0;
  const auto share = Share(found->second);
  if (!share) return base::UnexpectedValue(name, found->second, "a percentage from 0 to 100");
  return *share;
}

base::Result<uint64_t> BytesOption(const Values& values, const std::string& name,
                                   uint64_t otherwise) {
  const auto found = values.find(name);
  if (found == values.end()) return otherwise;
  auto bytes = base::ParseBytes(found->second);
  if (!bytes.ok()) return std::move(bytes).error().Wrap(name);
  return bytes;
}

base::Result<uint64_t> MemoryOption(const Values& values, uint64_t total) {
  const auto found = values.find("--memory");
  if (found == values.end()) return uint64_t{0};
  uint64_t bytes = 0;
  if (found->second.ends_with('%')) {
    RECKON_ASSIGN(const double share, ShareOption(values, "--memory"));
    bytes = static_cast<uint64_t>(share * static_cast<double>(total));
  } else {
    RECKON_ASSIGN(bytes, BytesOption(values, "--memory", 0));
  }
  if (bytes > total) {
    return base::UnexpectedValue("--memory", found->second,
                                 "at most the host's memory, " + base::FormatBytes(total));
  }
  return bytes;
}

}  // namespace

HostSize ThisMachine() {
  HostSize size;
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (sched_getaffinity(0, sizeof(allowed), &allowed) == 0) size.cpus = CPU_COUNT(&allowed);
  size.memory_bytes =
      static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  return size;
}

base::Result<StressOptions> ParseStressOptions(std::span<const std::string> arguments,
                                               const HostSize& machine) {
  RECKON_ASSIGN(Values values, base::TakeNamedValues(arguments, OptionNames()));
  StressOptions options;
  StressLevels& levels = options.levels;
  RECKON_ASSIGN(levels.cpu, ShareOption(values, "--cpu"));
  RECKON_ASSIGN(levels.gpu, ShareOption(values, "--gpu"));
  levels.cpus = machine.cpus;
  if (values.contains("--cpus")) {
    const auto cpus = base::ParseNumber(values["--cpus"]);
    if (!cpus || *cpus <= 0 || *cpus > 10'000) {
      return base::UnexpectedValue("--cpus", values["--cpus"], "a number of cores above 0");
    }
    levels.cpus = *cpus;
  }
  RECKON_ASSIGN(const uint64_t total, BytesOption(values, "--memory-total", machine.memory_bytes));
  RECKON_ASSIGN(levels.memory_bytes, MemoryOption(values, total));
  if (values["--disk"].ends_with("/s")) values["--disk"].resize(values["--disk"].size() - 2);
  if (values["--disk"].empty()) values.erase("--disk");
  RECKON_ASSIGN(const uint64_t disk, BytesOption(values, "--disk", 0));
  levels.disk_bytes_per_s = static_cast<double>(disk);
  const char* folder = std::getenv("TMPDIR");  // NOLINT(concurrency-mt-unsafe): nobody sets it here
  if (folder != nullptr && *folder != '\0') options.folder = folder;
  if (values.contains("--folder")) options.folder = values["--folder"];
  if (values.contains("--settle")) {
    auto settle = base::ParseDurationS(values["--settle"]);
    if (!settle.ok()) return std::move(settle).error().Wrap("--settle");
    options.settle_s = *settle;
  }
  return options;
}

}  // namespace reckon::observe
