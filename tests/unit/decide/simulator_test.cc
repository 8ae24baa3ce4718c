#include <cmath>

#include <gtest/gtest.h>

#include "decide/simulate/training_simulator.h"

namespace reckon::decide {
namespace {

using core::Strategy;

Simulation Alike(size_t workers, Strategy strategy) {
  Simulation simulation;
  simulation.strategy = strategy;
  simulation.workers.assign(workers, {.compute_s = 0.1, .steps = 50});
  if (strategy != Strategy::kAllReduce) simulation.servers = {{.bandwidth_bit_s = 1e9}};
  simulation.bytes = 1e6;  // 8 ms on the server's link
  return simulation;
}

TEST(SimulatorTest, OneWorkerComputesPushesUpdatesAndPulls) {
  for (const Strategy strategy :
       {Strategy::kAsyncParameterServer, Strategy::kSyncParameterServer}) {
    Simulation simulation = Alike(1, strategy);
    simulation.servers[0].update_s = 0.01;
    simulation.latency_s = 0.001;
    simulation.epochs = 2;
    const SimulationReport report = Simulate(simulation).value();
    EXPECT_NEAR(report.seconds, 100 * (0.1 + 0.008 + 0.01 + 0.008 + 0.002), 1e-9);
    EXPECT_EQ(report.steps, 100);
    ASSERT_EQ(report.epoch_s.size(), 2U);
    EXPECT_NEAR(report.epoch_s[0], report.epoch_s[1], 1e-9);
  }
}

// Throughput is n x1 until the server's link is full, then what the link carries.
TEST(SimulatorTest, AsynchronousServersSaturate) {
  const double alone = 50 / Simulate(Alike(1, Strategy::kAsyncParameterServer)).value().seconds;
  for (const size_t workers : {2UL, 6UL, 12UL, 40UL, 200UL}) {
    const SimulationReport report =
        Simulate(Alike(workers, Strategy::kAsyncParameterServer)).value();
    const double rate = static_cast<double>(report.steps) / report.seconds;
    const double bound = std::min(static_cast<double>(workers) * alone, 1e9 / 8e6);
    EXPECT_LE(rate, bound * 1.001) << workers;
    EXPECT_GT(rate, bound * 0.8) << workers;
    if (workers >= 40) {
      EXPECT_GT(report.busiest_link, 0.9);
    }
  }
}

TEST(SimulatorTest, TwoServersCarryTwice) {
  Simulation simulation = Alike(100, Strategy::kAsyncParameterServer);
  const double one = Simulate(simulation).value().seconds;
  simulation.servers.push_back(simulation.servers[0]);
  EXPECT_NEAR(Simulate(simulation).value().seconds / one, 0.5, 0.03);
}

TEST(SimulatorTest, InStepEverybodyWaitsForTheSlowest) {
  Simulation simulation = Alike(4, Strategy::kSyncParameterServer);
  simulation.workers[2].compute_s = 0.3;
  // Only the slowest is still sending when it sends; answers go out one after the other.
  EXPECT_NEAR(Simulate(simulation).value().seconds, 50 * (0.3 + 0.008 + 4 * 0.008), 0.1);
  simulation.strategy = Strategy::kAsyncParameterServer;
  const SimulationReport free = Simulate(simulation).value();
  EXPECT_NEAR(free.worker_s[2], 50 * (0.3 + 0.016), 0.5);
  EXPECT_LT(free.worker_s[0], 0.55 * free.worker_s[2]);
}

TEST(SimulatorTest, ARingOfAllReduce) {
  Simulation simulation = Alike(4, Strategy::kAllReduce);
  for (SimulatedWorker& worker : simulation.workers) worker.bandwidth_bit_s = 1e9;
  simulation.latency_s = 0.0001;
  EXPECT_NEAR(Simulate(simulation).value().seconds, 50 * (0.1 + 1.5 * 0.008 + 6 * 0.0001), 1e-9);
}

// E max of n log-normal times grows with n: stragglers cost those who wait for all.
TEST(SimulatorTest, StragglersCostMoreTheMoreThereAre) {
  double before = 0;
  for (const size_t workers : {1UL, 4UL, 16UL, 64UL}) {
    Simulation simulation = Alike(workers, Strategy::kAllReduce);
    simulation.jitter = 0.3;
    const double seconds = Simulate(simulation).value().seconds;
    EXPECT_GT(seconds, before);
    before = seconds;
  }
}

TEST(SimulatorTest, FailuresTakeTheirTime) {
  Simulation simulation = Alike(10, Strategy::kAsyncParameterServer);
  const double undisturbed = Simulate(simulation).value().seconds;
  simulation.failures_per_hour = 720;  // every five seconds
  simulation.restart_s = 2;
  const SimulationReport report = Simulate(simulation).value();
  EXPECT_GT(report.failures, 3);
  EXPECT_GT(report.seconds, undisturbed + 2);
  EXPECT_EQ(report.steps, 500) << "nothing is left undone";
}

// Who gets its data late ends late, but trains no longer for it.
TEST(SimulatorTest, WorkersBeginWhenTheyHaveTheirData) {
  for (const Strategy strategy : {Strategy::kAsyncParameterServer, Strategy::kAllReduce}) {
    Simulation simulation = Alike(2, strategy);
    simulation.bytes = 0;
    simulation.workers[0].begin_s = simulation.workers[1].begin_s = 3;
    EXPECT_NEAR(Simulate(simulation).value().seconds, 8, 1e-9);
    EXPECT_NEAR(Simulate(simulation).value().training_s, 5, 1e-9);
    simulation.workers[1].begin_s = 0;
    const SimulationReport report = Simulate(simulation).value();
    EXPECT_NEAR(report.seconds, 8, 1e-9);
    // In step the one that was early waits.
    EXPECT_NEAR(report.training_s, strategy == Strategy::kAllReduce ? 8 : 5, 1e-9);
  }
}

TEST(SimulatorTest, CanBeStopped) {
  std::stop_source stop;
  stop.request_stop();
  Simulation simulation = Alike(2000, Strategy::kAsyncParameterServer);
  EXPECT_EQ(Simulate(simulation, stop.get_token()).error().code(), base::ErrorCode::kInterrupted);
  simulation = Alike(20, Strategy::kAllReduce);
  EXPECT_EQ(Simulate(simulation, stop.get_token()).error().code(), base::ErrorCode::kInterrupted);
}

TEST(SimulatorTest, TheSameSeedGivesTheSame) {
  Simulation simulation = Alike(20, Strategy::kAsyncParameterServer);
  simulation.jitter = 0.2;
  simulation.failures_per_hour = 100;
  const double first = Simulate(simulation).value().seconds;
  EXPECT_EQ(Simulate(simulation).value().seconds, first);
  simulation.seed = 2;
  EXPECT_NE(Simulate(simulation).value().seconds, first);
}

TEST(SimulatorTest, WhatMakesNoSenseIsRefused) {
  EXPECT_FALSE(Simulate({}).ok());
  Simulation simulation = Alike(2, Strategy::kAllReduce);
  simulation.servers = {{}};
  EXPECT_FALSE(Simulate(simulation).ok());
  simulation = Alike(2, Strategy::kSyncParameterServer);
  simulation.workers[1].steps = 3;
  EXPECT_FALSE(Simulate(simulation).ok());
  simulation = Alike(2, Strategy::kAsyncParameterServer);
  simulation.workers[1].compute_s = -1;
  EXPECT_FALSE(Simulate(simulation).ok());
  simulation.workers[1] = {.compute_s = 0.1, .steps = 0};  // a worker without a shard
  EXPECT_EQ(Simulate(simulation).value().steps, 50);
}

}  // namespace
}  // namespace reckon::decide
