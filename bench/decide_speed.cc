// How fast decisions are made: Algorithm 1 and our own policy for 10,000 workers, the choice among
// 100,000 clusters, and events a second of the simulator.
//
//   decide_speed [PYTHON]      /usr/bin/python3 unless told, for SimPy's side
//
// The simulator's peer is SimPy on the same asynchronous training (bench/simpy_peer.py), where
// Python has it. Ends with 1 when a goal is missed: 100 ms, 1 s, a million events a second. Run it
// on an idle machine. With these crowdings Algorithm 1 drops hardly anybody; where it would drop
// thousands it takes a round for each, which is not measured here.
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>

#include <fmt/format.h>

#include "base/rng.h"
#include "decide/recommend/pareto.h"
#include "decide/schedule/schedule.h"
#include "decide/simulate/training_simulator.h"

namespace {

using namespace reckon;
using Clock = std::chrono::steady_clock;

bool g_missed = false;

template <typename Work>
double SecondsOf(const Work& work) {
  double best = INFINITY;
  for (int i = 0; i < 5; ++i) {
    const auto start = Clock::now();
    work();
    best = std::min(best, std::chrono::duration<double>(Clock::now() - start).count());
  }
  return best;
}

void Print(const std::string& what, const std::string& figure, bool kept) {
  fmt::print("{:<58} {:>18}{}\n", what, figure, kept ? "" : "  MISSED");
  std::fflush(stdout);
  g_missed = g_missed || !kept;
}

struct Device {
  double sample_s;
  double batch_s;
  double push_s;
  double crowding_s;
  double app_s;
};

class Devices final : public decide::NodeEstimates {
 public:
  Devices(size_t count, double crowding_s) {
    base::Rng rng(7);
    for (size_t i = 0; i < count; ++i) {
      devices_.push_back({0.002 * (0.5 + rng.Uniform()), 0.01, 0.02 * (0.5 + rng.Uniform()),
                          crowding_s, 0.15 * rng.Uniform()});
    }
  }
  double ComputePerSample(size_t worker, int64_t batch, size_t) const override {
    return devices_[worker].sample_s + devices_[worker].batch_s / static_cast<double>(batch);
  }
  double UpdatePerStep(size_t worker, int64_t, size_t crew) const override {
    return devices_[worker].push_s + devices_[worker].crowding_s * static_cast<double>(crew - 1);
  }
  double AppLatency(size_t worker, size_t, int64_t batch, size_t) const override {
    return devices_[worker].app_s + 0.0005 * static_cast<double>(batch);
  }
  int64_t MaxBatch(size_t) const override { return 64; }

  decide::ScheduleProblem Problem(int64_t samples) const {
    decide::ScheduleProblem problem{.samples = samples, .estimates = *this};
    for (size_t i = 0; i < devices_.size(); ++i) {
      decide::ScheduleWorker worker{.name = "w" + std::to_string(i)};
      worker.apps.push_back({"app", 0.17});
      problem.workers.push_back(std::move(worker));
    }
    return problem;
  }

 private:
  std::vector<Device> devices_;
};

void Schedules() {
  constexpr double kGoalS = 0.1;
  for (const double crowding_s : {0.0, 1e-6, 1e-5}) {
    const Devices devices(10'000, crowding_s);
    const decide::ScheduleProblem problem = devices.Problem(10'000'000);
    for (const auto policy : {decide::SchedulePolicy::kDeepEdge, decide::SchedulePolicy::kReckon}) {
      size_t crew = 0;
      const double seconds = SecondsOf([&] {
        const auto plan = decide::MakeSchedule(problem, policy);
        crew = plan.ok() ? plan->crew : 0;
      });
      const bool counts = policy == decide::SchedulePolicy::kDeepEdge;
      Print(fmt::format("{}, 10,000 workers, {} us more a step for each: {} train",
                        decide::SchedulePolicyName(policy), 1e6 * crowding_s, crew),
            fmt::format("{:.1f} ms", 1000 * seconds), !counts || seconds < kGoalS);
    }
  }
}

void Clusters() {
  base::Rng rng(3);
  std::vector<decide::ClusterOption> options;
  for (int i = 0; i < 100'000; ++i) {
    const double workers = 1 + static_cast<double>(rng.Below(256));
    const double speed = 0.5 + 3 * rng.Uniform();
    options.push_back({"c",
                       workers * speed * (0.05 + 0.1 * rng.Uniform()),
                       {std::log(3600 * (0.05 + 10 / (workers * speed))), 0.3 * rng.Uniform()},
                       120});
  }
  const double seconds = SecondsOf([&] {
    if (!decide::ChooseCluster(options, {.deadline_s = 7200, .budget = 50}).ok()) std::abort();
  });
  Print("choice among 100,000 clusters", fmt::format("{:.1f} ms", 1000 * seconds), seconds < 1);
}

void Simulator(const std::string& python) {
  decide::Simulation simulation;
  simulation.workers.assign(10'000, {.compute_s = 0.1, .steps = 50, .bandwidth_bit_s = 1e9});
  simulation.servers.assign(4, {.bandwidth_bit_s = 1e11, .update_s = 1e-6});
  simulation.bytes = 1.6e6;
  simulation.jitter = 0.1;
  simulation.failures_per_hour = 0.5;
  simulation.restart_s = 30;
  uint64_t events = 0;
  const double seconds = SecondsOf([&] { events = decide::Simulate(simulation).value().events; });
  const double rate = static_cast<double>(events) / seconds;
  Print(fmt::format("simulator, 10,000 workers, 4 servers, {} events", events),
        fmt::format("{:.2f} M events/s", rate / 1e6), rate >= 1e6);
  const std::string command = fmt::format("{} {}/simpy_peer.py", python, BENCH_DIR);
  if (std::system(command.c_str()) != 0) {
    fmt::print("SimPy was not measured: {} failed (pip install simpy)\n", command);
  }
}

}  // namespace

int main(int argc, char** argv) {
  Schedules();
  Clusters();
  Simulator(argc > 1 ? argv[1] : "/usr/bin/python3");
  return g_missed ? 1 : 0;
}
