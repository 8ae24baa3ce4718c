#include "observe/probes/core_pace.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <csignal>

#include <pthread.h>
#include <sched.h>

namespace reckon::observe {
namespace {

constexpr std::chrono::milliseconds kPeriod{25};
constexpr int kMostProcessors = 16;
constexpr int kTurns = 4000;
constexpr int kWarmUpTurns = 500;  // after a sleep the core's clock has to come back
// More independent sums than a core works on at once, so that it is busy all the time: only then
// what its other thread takes shows. A chain of dependent operations leaves half of a core idle.
constexpr int kSums = 12;

using Lanes = float __attribute__((vector_size(16)));

float Burst(int turns) {
  Lanes sums[kSums];
  for (Lanes& sum : sums) sum = Lanes{1, 1, 1, 1};
  const Lanes factor{0.999F, 0.999F, 0.999F, 0.999F};
  const Lanes more{0.001F, 0.001F, 0.001F, 0.001F};
  for (int turn = 0; turn < turns; ++turn) {
    for (Lanes& sum : sums) sum = sum * factor + more;
  }
  float all = 0;
  for (const Lanes& sum : sums) all += sum[0];
  return all;
}

double ThreadCpuUs() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e6 + static_cast<double>(time.tv_nsec) * 1e-3;
}

double NowS() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

// The processors that this process may use; of very many, some evenly.
std::vector<int> Processors() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return {};
  std::vector<int> all;
  for (int i = 0; i < CPU_SETSIZE; ++i) {
    if (CPU_ISSET(i, &allowed)) all.push_back(i);
  }
  const int count = static_cast<int>(all.size());
  if (count <= kMostProcessors) return all;
  std::vector<int> some;
  for (int i = 0; i < kMostProcessors; ++i) {
    some.push_back(all[static_cast<size_t>(i * count / kMostProcessors)]);
  }
  return some;
}

}  // namespace

CorePace::CorePace() : first_(static_cast<int64_t>(NowS())) {
  for (const int processor : Processors()) {
    threads_.emplace_back(
        [this, processor](const std::stop_token& stop) { Measure(processor, stop); });
  }
}

CorePace::~CorePace() = default;

void CorePace::Measure(int processor, const std::stop_token& stop) {
  // Signals are for the others.
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, nullptr);
  cpu_set_t own;
  CPU_ZERO(&own);
  CPU_SET(processor, &own);
  if (sched_setaffinity(0, sizeof own, &own) != 0) return;  // it has been taken away
  std::mutex mutex;
  std::condition_variable_any never;
  std::unique_lock lock(mutex);
  volatile float sink = 0;
  while (!never.wait_for(lock, stop, kPeriod, [] { return false; })) {
    if (stop.stop_requested()) return;
    sink = Burst(kWarmUpTurns);
    const double begin = ThreadCpuUs();
    sink = Burst(kTurns);
    Add(ThreadCpuUs() - begin);
  }
  (void)sink;
}

void CorePace::Add(double us) {
  const auto second = static_cast<int64_t>(NowS());
  const std::scoped_lock lock(mutex_);
  if (second < first_) return;  // somebody has set the clock back
  const auto at = static_cast<size_t>(second - first_);
  constexpr size_t kLongest = 366 * 86'400;
  if (at >= kLongest) return;  // or far ahead
  if (seconds_.size() <= at) seconds_.resize(at + 1);
  // One that was interrupted says nothing of the core.
  constexpr double kInterrupted = 3;
  fastest_us_ = std::min(fastest_us_, us);
  seconds_[at].us += std::min(us, kInterrupted * fastest_us_);
  ++seconds_[at].bursts;
}

std::optional<double> CorePace::MeanUs(double from, double to) const {
  const std::scoped_lock lock(mutex_);
  double sum = 0;
  double bursts = 0;
  const auto begin = std::max<int64_t>(static_cast<int64_t>(from) - first_, 0);
  const auto end = std::min<int64_t>(static_cast<int64_t>(to) - first_ + 1,
                                     static_cast<int64_t>(seconds_.size()));
  for (int64_t i = begin; i < end; ++i) {
    sum += seconds_[static_cast<size_t>(i)].us;
    bursts += seconds_[static_cast<size_t>(i)].bursts;
  }
  return bursts > 0 ? std::optional(sum / bursts) : std::nullopt;
}

}  // namespace reckon::observe
