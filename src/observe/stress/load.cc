#include "observe/stress/load.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <linux/magic.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/system_error.h"
#include "observe/probes/process_tree.h"

namespace reckon::observe {
namespace {

constexpr double kIdlePauseS = 0.05;  // how soon a stop is noticed
// One worker loses some of a core to whatever else runs there.
constexpr double kCoresAWorker = 0.95;
constexpr double kCpuSliceS = 0.005;
constexpr double kCpuSliceOfCores = 0.01;
constexpr double kDiskSliceS = 0.02;
// stress-ng and its two processes, without the memory that they hold.
constexpr uint64_t kHolderBytes = 5'000'000;
constexpr uint64_t kLeastHeldBytes = 1 << 20;

base::Status CheckIsDisk(const std::string& folder) {
  struct statfs system {};
  if (statfs(folder.c_str(), &system) != 0) return base::SystemError(folder);
  if (system.f_type != TMPFS_MAGIC && system.f_type != RAMFS_MAGIC) return {};
  return base::BadInput(
      fmt::format("{} lies in memory, and no disk is loaded there; name another --folder", folder));
}

}  // namespace

base::Result<std::unique_ptr<Load>> Load::Start(const StressLevels& levels,
                                                const std::string& folder,
                                                const std::filesystem::path& root) {
  if (levels.disk_bytes_per_s > 0) RECKON_TRY(CheckIsDisk(folder));
  std::unique_ptr<GpuProbe> gpu;
  if (levels.gpu > 0) {
    // Another root is a test's: the machine's own driver has no place there.
    gpu = GpuProbe::Open(root, root == "/" ? GpuProbe::kNvmlLibrary : "");
    if (gpu == nullptr || !gpu->Read().share) {
      return base::Error(base::ErrorCode::kFailed,
                         "this machine has no GPU whose use can be measured");
    }
  }
  std::string own = folder + "/reckon-stress.XXXXXX";
  if (mkdtemp(own.data()) == nullptr) return base::SystemError(own);
  std::unique_ptr<Load> load(new Load(levels, std::move(own)));
  load->gpu_probe_ = std::move(gpu);
  if (!levels.none()) {
    RECKON_ASSIGN(load->program_, FindStressNg());
    RECKON_TRY(load->StartBusy());
    if (levels.gpu > 0) RECKON_TRY(load->StartGpu());
  }
  return load;
}

Load::~Load() {
  for (Held* held : {&cpu_, &disk_, &memory_, &gpu_}) held->stressor.reset();
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

base::Status Load::StartBusy() {
  if (levels_.cpu > 0) {
    const double cores = levels_.cpu * levels_.cpus;
    const auto workers = static_cast<size_t>(std::ceil(cores / kCoresAWorker));
    cpu_.control.emplace(cores, std::min(kCpuSliceS, kCpuSliceOfCores * levels_.cpus));
    RECKON_TRY(
        Add(cpu_, workers, {"--cpu", std::to_string(workers), "--cpu-method", "matrixprod"}));
  }
  if (levels_.disk_bytes_per_s > 0) {
    disk_.control.emplace(levels_.disk_bytes_per_s, kDiskSliceS * levels_.disk_bytes_per_s);
    // Written out after each piece: what only the cache sees is no load of a disk.
    RECKON_TRY(Add(disk_, 1,
                   {"--hdd", "1", "--hdd-bytes", "16M", "--hdd-write-size", "256K", "--hdd-opts",
                    "wr-seq,fdatasync"}));
  }
  return {};
}

base::Status Load::StartMemory() {
  const uint64_t others = std::min(levels_.memory_bytes, MeasureMemory() + kHolderBytes);
  // Touched once, then kept without using the processor.
  const uint64_t bytes = std::max(levels_.memory_bytes - others, kLeastHeldBytes);
  return Add(memory_, 2,
             {"--vm", "1", "--vm-bytes", std::to_string(bytes), "--vm-keep", "--vm-hang", "0",
              "--vm-method", "write64"});
}

base::Status Load::StartGpu() {
  gpu_duty_.emplace(levels_.gpu);
  return Add(gpu_, 1, {"--gpu", "1"});
}

base::Status Load::Add(Held& held, size_t workers, std::vector<std::string> arguments) {
  arguments.insert(arguments.end(), {"--timeout", "0", "--temp-path", folder_.string()});
  RECKON_ASSIGN(held.stressor, Stressor::Start(program_, arguments, workers));
  return {};
}

double Load::Steer(double elapsed_s) {
  double pause = kIdlePauseS;
  Steer(cpu_, elapsed_s, cpu_meter_.TotalS(Processes()), pause);
  if (disk_.stressor != nullptr) {
    Steer(disk_, elapsed_s, static_cast<double>(WrittenBytes(disk_.stressor->workers())), pause);
  }
  if (gpu_.stressor != nullptr) SteerGpu(elapsed_s, pause);
  return pause;
}

void Load::SteerGpu(double elapsed_s, double& pause) {
  gpu_.used += elapsed_s * gpu_probe_->Read().share.value_or(0);
  gpu_.stressor->Run(gpu_duty_->Step(elapsed_s));
  pause = std::min(pause, gpu_duty_->PauseS());
}

void Load::Settled() {
  if (gpu_duty_) gpu_duty_->Keep();
}

void Load::Steer(Held& held, double elapsed_s, double used, double& pause) {
  const double now_used = used - std::exchange(held.used, used);
  if (held.stressor == nullptr || !held.control) return;
  held.stressor->Run(held.control->Step(elapsed_s, now_used));
  pause = std::min(pause, held.control->PauseS());
}

base::Status Load::Check() const {
  for (const Held* held : {&cpu_, &disk_, &memory_, &gpu_}) {
    if (held->stressor != nullptr) RECKON_TRY(held->stressor->Check());
  }
  return {};
}

base::Status Load::Look() {
  bool complete = true;
  for (const Held* held : {&cpu_, &disk_, &memory_, &gpu_}) {
    if (held->stressor == nullptr) continue;
    held->stressor->Look();
    complete = complete && held->stressor->complete();
  }
  if (levels_.memory_bytes == 0) return {};
  memory_bytes_ = MeasureMemory();
  return memory_.stressor == nullptr && complete ? StartMemory() : base::Status();
}

bool Load::complete() const {
  if (levels_.memory_bytes > 0 && memory_.stressor == nullptr) return false;
  return std::ranges::all_of(std::array{&cpu_, &disk_, &memory_, &gpu_}, [](const Held* held) {
    return held->stressor == nullptr || held->stressor->complete();
  });
}

StressReading Load::Read(double elapsed_s) {
  StressReading reading;
  reading.cpu = ReadRate(cpu_, elapsed_s) / levels_.cpus;
  reading.disk_bytes_per_s = ReadRate(disk_, elapsed_s);
  reading.memory_bytes = memory_bytes_;
  if (gpu_duty_) {
    reading.gpu = ReadRate(gpu_, elapsed_s);
    gpu_duty_->Learn(reading.gpu);
  }
  return reading;
}

double Load::ReadRate(Held& held, double elapsed_s) {
  return (held.used - std::exchange(held.read, held.used)) / elapsed_s;
}

// All of the load, with this process: what steering costs is load too.
std::vector<pid_t> Load::Processes() const {
  std::vector<pid_t> processes{getpid()};
  for (const Held* held : {&cpu_, &disk_, &memory_, &gpu_}) {
    if (held->stressor == nullptr) continue;
    const auto more = held->stressor->pids();
    processes.insert(processes.end(), more.begin(), more.end());
  }
  return processes;
}

uint64_t Load::MeasureMemory() const {
  std::vector<ProcessEntry> processes;
  for (const pid_t pid : Processes()) processes.push_back({.pid = pid});
  return MemoryOf(processes);
}

}  // namespace reckon::observe
