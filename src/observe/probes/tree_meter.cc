#include "observe/probes/tree_meter.h"

#include <algorithm>
#include <fstream>
#include <thread>
#include <utility>

#include <sys/resource.h>

namespace reckon::observe {
namespace {

constexpr std::chrono::milliseconds kLastBytesLimit{2'000};
constexpr std::chrono::milliseconds kLastBytesPause{10};

double Seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

// 0 when the kernel does not say.
double CgroupCpuSeconds(const std::string& folder) {
  std::ifstream file(folder + "/cpu.stat");
  std::string name;
  double microseconds = 0;
  while (file >> name >> microseconds) {
    if (name == "usage_usec") return microseconds * 1e-6;
  }
  return 0;
}

}  // namespace

TreeMeter::TreeMeter(TreeMeterOptions options, const base::Clock& clock)
    : options_(std::move(options)), clock_(clock), begin_(clock.Monotonic()) {
  auto diag = TcpDiag::Open(options_.netns);
  if (!diag.ok()) return;
  diag_ = std::move(diag).value();
  if (!options_.cgroup.empty()) {
    auto traffic = CgroupTraffic::Attach(options_.cgroup);
    if (traffic.ok()) traffic_ = std::move(traffic).value();
  }
  if (traffic_ == nullptr) bytes_ = std::make_unique<TcpBytes>(std::move(diag_));
}

void TreeMeter::Started(bool in_cgroup) {
  if (in_cgroup || traffic_ == nullptr) return;
  traffic_.reset();
  bytes_ = std::make_unique<TcpBytes>(std::move(diag_));
}

void TreeMeter::TakeTime() {
  if (ended_) return;
  usage_.wall_s = std::chrono::duration<double>(clock_.Monotonic() - begin_).count();
}

void TreeMeter::TakeCpu(const std::vector<ProcessEntry>& processes) {
  rusage waited{};
  getrusage(RUSAGE_CHILDREN, &waited);
  double cpu_s = Seconds(waited.ru_utime) + Seconds(waited.ru_stime);
  for (const ProcessEntry& process : processes) cpu_s += process.cpu_s + process.waited_cpu_s;
  if (!options_.cgroup.empty()) cpu_s = std::max(cpu_s, CgroupCpuSeconds(options_.cgroup));
  usage_.cpu_s = std::max(usage_.cpu_s, cpu_s);
}

bool TreeMeter::TakeTraffic(const std::vector<ProcessEntry>& processes) {
  if (bytes_ != nullptr) {
    std::vector<pid_t> pids;
    for (const ProcessEntry& process : processes) pids.push_back(process.pid);
    bytes_->Sample(pids);
    usage_.bytes_sent = bytes_->sent();
    usage_.bytes_received = bytes_->received();
    usage_.complete = bytes_->complete();
    return bytes_->Pending();
  }
  if (traffic_ == nullptr) return false;
  // The open ones first: one that ends meanwhile is counted twice for a moment, and not lost.
  const auto sockets = diag_->List();
  const CgroupTraffic::Totals ended = traffic_->Ended();
  uint64_t sent = ended.sent;
  uint64_t received = ended.received;
  bool open = false;
  if (sockets.ok()) {
    for (const TcpSocket& socket : *sockets) {
      if (socket.cgroup_id != traffic_->cgroup_id()) continue;
      open = true;
      sent += socket.sent;
      received += socket.received;
    }
  }
  usage_.bytes_sent = sent;
  usage_.bytes_received = received;
  usage_.complete = sockets.ok();
  return open;
}

// What those that were waited for have read and written is in the account of who waited, and so in
// the end in ours, which itself hardly reads and writes.
void TreeMeter::TakeDisk(const std::vector<ProcessEntry>& processes) {
  ProcessDiskBytes all = DiskBytesOf(options_.root);
  for (const ProcessEntry& process : processes) {
    const ProcessDiskBytes more = DiskBytesOf(process.pid);
    all.read += more.read;
    all.written += more.written;
  }
  usage_.disk_read_bytes = std::max(usage_.disk_read_bytes, all.read);
  usage_.disk_written_bytes = std::max(usage_.disk_written_bytes, all.written);
}

void TreeMeter::TakeSpreads(uint64_t memory_bytes) {
  const double seconds = usage_.wall_s - looked_.wall_s;
  if (seconds > 0) {
    const auto rate = [&](uint64_t now, uint64_t then) {
      return now > then ? static_cast<double>(now - then) / seconds : 0.0;
    };
    cores_.Add((usage_.cpu_s - looked_.cpu_s) / seconds, seconds);
    memory_.Add(static_cast<double>(memory_bytes), seconds);
    sent_.Add(rate(usage_.bytes_sent, looked_.bytes_sent), seconds);
    received_.Add(rate(usage_.bytes_received, looked_.bytes_received), seconds);
  }
  looked_ = usage_;
  usage_.cpu_p95_cores = cores_.P95();
  usage_.memory_mean_bytes = memory_.Mean();
  usage_.memory_p95_bytes = memory_.P95();
  usage_.sent_p95_bytes_s = sent_.P95();
  usage_.received_p95_bytes_s = received_.P95();
}

void TreeMeter::Sample() {
  TakeTime();
  const std::vector<ProcessEntry> processes = Descendants(options_.root);
  TakeCpu(processes);
  TakeTraffic(processes);
  TakeDisk(processes);
  const uint64_t memory = MemoryOf(processes);
  usage_.peak_memory_bytes = std::max(usage_.peak_memory_bytes, memory);
  if (!processes.empty()) TakeSpreads(memory);
}

void TreeMeter::FirstEnded() {
  TakeTime();
  ended_ = true;
}

void TreeMeter::Finish() {
  TakeTime();
  TakeCpu({});
  TakeDisk({});
  rusage waited{};
  getrusage(RUSAGE_CHILDREN, &waited);
  // The largest single process, which a look once a second may have missed.
  const auto largest = static_cast<uint64_t>(waited.ru_maxrss) * 1024;
  usage_.peak_memory_bytes = std::max(usage_.peak_memory_bytes, largest);
  const auto deadline = clock_.Monotonic() + kLastBytesLimit;
  while (TakeTraffic({}) && clock_.Monotonic() < deadline) {
    std::this_thread::sleep_for(kLastBytesPause);
  }
}

}  // namespace reckon::observe
