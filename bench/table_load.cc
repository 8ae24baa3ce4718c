// How fast and how small tables load, beside pandas.read_csv on the same files.
//
//   table_load [ROWS [PYTHON]]      1,000,000 rows and /usr/bin/python3 unless told
//
// Files of ROWS x 20 cells go to a temporary folder and are the same in every run. Each file is
// loaded in a process of its own, so that memory is that of the load alone: peak resident memory
// minus what the process had before, over the size of the file. The best of five by the clock on
// the wall, which is what a user waits for and what the comparison is about. Processor time stands
// beside it because it differs: pandas 3 reads with several threads where cores are free, we with
// one. Run it on an idle machine.
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/progress.h"
#include "base/rng.h"
#include "base/text.h"
#include "tables/reader.h"
#include "tables/source.h"

namespace {

using namespace reckon;

constexpr size_t kColumns = 20;
constexpr uint64_t kSeed = 20260131;
constexpr int kRepeats = 5;

struct Load {
  double seconds = 0;
  double cpu_seconds = 0;
  double peak_bytes = 0;  // growth of resident memory
};

// --- files --------------------------------------------------------------------------------------

using AppendCell = std::function<void(base::Rng&, size_t column, std::string&)>;

void AppendDouble(base::Rng& rng, size_t, std::string& line) {
  line += base::RoundTrip(rng.Normal() * 1000);
}

void AppendDigit(base::Rng& rng, size_t, std::string& line) {
  line += static_cast<char>('0' + rng.Below(10));
}

void AppendMixed(base::Rng& rng, size_t column, std::string& line) {
  static constexpr std::array<const char*, 4> kKinds{"p3.2xlarge", "p3.8xlarge", "g4dn.xlarge",
                                                     "a2-highgpu-1g"};
  if (column == 0) {
    line += fmt::format("run-{}", rng.NextBits() % 1000000);
  } else if (column % 4 == 1) {
    line += kKinds[rng.Below(kKinds.size())];
  } else if (column % 4 == 2) {
    line += fmt::format("{:.6f}", rng.Uniform() * 100);
  } else {
    line += std::to_string(rng.Below(100000));
  }
}

base::Status WriteFile(const std::filesystem::path& path, size_t rows, const AppendCell& append) {
  RECKON_ASSIGN(base::AtomicFile file, base::AtomicFile::Create(path));
  std::string line;
  for (size_t column = 0; column < kColumns; ++column) {
    line += fmt::format("{}c{}", column == 0 ? "" : ",", column);
  }
  base::Rng rng(kSeed);
  for (size_t row = 0;; ++row) {
    line += '\n';
    RECKON_TRY(file.Append(line));
    if (row == rows) break;
    line.clear();
    for (size_t column = 0; column < kColumns; ++column) {
      if (column > 0) line += ',';
      append(rng, column, line);
    }
  }
  return file.Commit();
}

// --- our load -----------------------------------------------------------------------------------

double StatusBytes(std::string_view field) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(field)) return std::strtod(line.c_str() + field.size(), nullptr) * 1024;
  }
  return 0;
}

double CpuSeconds() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

std::optional<Load> LoadHere(const std::filesystem::path& path) {
  std::ofstream("/proc/self/clear_refs") << "5";  // the peak starts from here
  const double before = StatusBytes("VmRSS:");
  const auto start = std::chrono::steady_clock::now();
  const double cpu_start = CpuSeconds();
  auto source = tables::Source::Open(path);
  if (!source.ok()) return std::nullopt;
  base::NoProgress progress;
  const auto table = tables::ReadTable(*source, {}, std::stop_token(), progress);
  const double cpu = CpuSeconds() - cpu_start;
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  if (!table.ok()) {
    fmt::print(stderr, "{}\n", table.error().Describe());
    return std::nullopt;
  }
  return Load{elapsed.count(), cpu, StatusBytes("VmHWM:") - before};
}

std::optional<Load> LoadInChild(const std::filesystem::path& path) {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) return std::nullopt;
  const pid_t child = fork();
  if (child == 0) {
    const auto load = LoadHere(path);
    const bool sent = load && write(ends[1], &*load, sizeof *load) == sizeof *load;
    _exit(sent ? 0 : 1);
  }
  close(ends[1]);
  Load load;
  const bool received = read(ends[0], &load, sizeof load) == sizeof load;
  close(ends[0]);
  waitpid(child, nullptr, 0);
  return received ? std::optional(load) : std::nullopt;
}

// --- the peer -----------------------------------------------------------------------------------

constexpr std::string_view kPandas = R"(
import sys, time
try:
    import pandas
except ImportError:
    sys.exit(3)
def field(name):
    for line in open("/proc/self/status"):
        if line.startswith(name):
            return float(line.split()[1]) * 1024
open("/proc/self/clear_refs", "w").write("5")
before = field("VmRSS:")
start, cpu_start = time.perf_counter(), time.process_time()
table = pandas.read_csv(sys.argv[1])
elapsed, cpu = time.perf_counter() - start, time.process_time() - cpu_start
print(elapsed, cpu, field("VmHWM:") - before)
)";

std::optional<Load> LoadWithPandas(const std::string& python, const std::filesystem::path& path) {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) return std::nullopt;
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], STDOUT_FILENO);
    const std::string program(kPandas);
    execl(python.c_str(), python.c_str(), "-c", program.c_str(), path.c_str(), nullptr);
    _exit(127);
  }
  close(ends[1]);
  std::string text;
  std::array<char, 256> block{};
  for (ssize_t got = 0; (got = read(ends[0], block.data(), block.size())) > 0;) {
    text.append(block.data(), static_cast<size_t>(got));
  }
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  Load load;
  if (status != 0) return std::nullopt;
  const int got =
      std::sscanf(text.c_str(), "%lf %lf %lf", &load.seconds, &load.cpu_seconds, &load.peak_bytes);
  if (got != 3) return std::nullopt;
  return load;
}

// The fastest of several loads: what else the machine does only ever adds to a time.
std::optional<Load> Best(const std::function<std::optional<Load>()>& load) {
  std::optional<Load> best;
  for (int i = 0; i < kRepeats; ++i) {
    const auto next = load();
    if (!next) return std::nullopt;
    if (!best || next->seconds < best->seconds) best = next;
  }
  return best;
}

void PrintRow(std::string_view kind, std::string_view reader, double bytes, const Load& load,
              std::string_view remark) {
  fmt::print("{:<14} {:<8} {:>8.1f} {:>9.3f} {:>9.3f} {:>8.0f} {:>12.2f}  {}\n", kind, reader,
             bytes / 1e6, load.seconds, load.cpu_seconds, bytes / 1e6 / load.seconds,
             load.peak_bytes / bytes, remark);
}

}  // namespace

int main(int argc, char** argv) {
  const size_t rows = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1000000;
  const std::string python = argc > 2 ? argv[2] : "/usr/bin/python3";
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / fmt::format("reckon_table_load_{}", getpid());
  std::filesystem::create_directories(folder);
  const std::vector<std::pair<const char*, AppendCell>> kinds{
      {"doubles", AppendDouble}, {"digits", AppendDigit}, {"mixed", AppendMixed}};
  bool has_peer = true;
  int failures = 0;
  fmt::print("{} rows x {} columns\n", rows, kColumns);
  fmt::print("{:<14} {:<8} {:>8} {:>9} {:>9} {:>8} {:>12}\n", "kind", "reader", "file MB",
             "seconds", "cpu s", "MB/s", "memory/file");
  for (const auto& [kind, append] : kinds) {
    const std::filesystem::path path = folder / fmt::format("{}.csv", kind);
    if (const auto written = WriteFile(path, rows, append); !written.ok()) {
      fmt::print(stderr, "{}\n", written.error().Describe());
      ++failures;
      continue;
    }
    const auto bytes = static_cast<double>(std::filesystem::file_size(path));
    const auto ours = Best([&] { return LoadInChild(path); });
    if (!ours) {
      fmt::print(stderr, "{}: could not load\n", kind);
      ++failures;
    } else {
      PrintRow(kind, "reckon", bytes, *ours, "");
      const auto peer =
          has_peer ? Best([&] { return LoadWithPandas(python, path); }) : std::nullopt;
      has_peer = peer.has_value();
      if (peer) {
        PrintRow(kind, "pandas", bytes, *peer,
                 fmt::format("reckon is {:.2f} times as fast", peer->seconds / ours->seconds));
      }
    }
    std::fflush(stdout);
    std::filesystem::remove(path);
  }
  if (!has_peer) fmt::print("pandas: {} cannot import it; not compared\n", python);
  std::filesystem::remove_all(folder);
  return failures == 0 ? 0 : 1;
}
