#include "decide/schedule/schedule.h"

#include <cmath>
#include <functional>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/rng.h"
#include "decide/schedule/crew.h"

namespace reckon::decide {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// A worker by numbers: a sample takes forward + backward / batch, an update push + each further
// worker's part; its app takes longer the larger the batch.
struct Device {
  double forward_s = 0.01;
  double backward_s = 0.02;
  double push_s = 0.1;
  double crowding_s = 0;  // more of an update for every other worker
  int64_t most_batch = 32;
  double app_s = 0;            // 0: it has none
  double app_s_per_batch = 0;  // more with every sample of a batch
  double deadline_s = 1;
};

class Devices final : public NodeEstimates {
 public:
  explicit Devices(std::vector<Device> devices) : devices_(std::move(devices)) {}

  double ComputePerSample(size_t worker, int64_t batch, size_t) const override {
    const Device& device = devices_[worker];
    return device.forward_s + device.backward_s / static_cast<double>(batch);
  }
  double UpdatePerStep(size_t worker, int64_t, size_t crew) const override {
    const Device& device = devices_[worker];
    return device.push_s + device.crowding_s * static_cast<double>(crew - 1);
  }
  double AppLatency(size_t worker, size_t, int64_t batch, size_t) const override {
    const Device& device = devices_[worker];
    return device.app_s + device.app_s_per_batch * static_cast<double>(batch);
  }
  int64_t MaxBatch(size_t worker) const override { return devices_[worker].most_batch; }

  ScheduleProblem Problem(int64_t samples) const {
    ScheduleProblem problem{.samples = samples, .estimates = *this};
    for (size_t i = 0; i < devices_.size(); ++i) {
      ScheduleWorker worker{.name = "w" + std::to_string(i)};
      if (devices_[i].app_s > 0) worker.apps.push_back({"sift", devices_[i].deadline_s});
      problem.workers.push_back(std::move(worker));
    }
    return problem;
  }

 private:
  std::vector<Device> devices_;
};

std::vector<int64_t> Shards(const SchedulePlan& plan) {
  std::vector<int64_t> shards;
  for (const WorkerPlan& worker : plan.workers) shards.push_back(worker.shard);
  return shards;
}

std::vector<int64_t> Batches(const SchedulePlan& plan) {
  std::vector<int64_t> batches;
  for (const WorkerPlan& worker : plan.workers) batches.push_back(worker.batch);
  return batches;
}

SchedulePlan Made(const Devices& devices, int64_t samples, SchedulePolicy policy) {
  auto plan = MakeSchedule(devices.Problem(samples), policy);
  EXPECT_TRUE(plan.ok()) << plan.error().Describe();
  return std::move(plan).value();
}

// The branches of Algorithm 1.
struct Branch {
  const char* name;
  std::vector<Device> devices;
  int64_t samples;
  std::vector<int64_t> shards;
  std::vector<int64_t> batches;
  std::vector<const char*> left_out;  // part of the reason; "": takes part
  int rounds;
};

TEST(DeepEdgeScheduleTest, EveryBranchOfAlgorithm1) {
  const Device nano;  // 0.01 + 0.02/32 + 0.1/32 = 0.01375 s a sample
  Device tx2 = nano;  // 0.005 + ... = 0.00875
  tx2.forward_s = 0.005;
  Device late = nano;
  late.app_s = 1.2;
  Device calm = nano;
  calm.app_s = 0.9;
  Device crowded = nano;
  crowded.crowding_s = 10;
  Device tiny = nano;
  tiny.most_batch = 0;
  Device small = nano;
  small.most_batch = 4;  // 0.01 + 0.02/4 + 0.1/4 = 0.04
  const std::vector<Branch> branches{
      {"alike: removing one does not help", {nano, nano}, 100, {50, 50}, {32, 32}, {"", ""}, 2},
      {"the faster gets more", {tx2, nano}, 180, {110, 70}, {32, 32}, {"", ""}, 2},
      {"an app would be late", {late, nano}, 100, {0, 100}, {0, 32}, {"1.2 s", ""}, 1},
      {"an app that keeps its deadline does no harm",
       {calm, nano},
       100,
       {50, 50},
       {32, 32},
       {"", ""},
       2},
      {"alone is faster than crowded",
       {crowded, crowded},
       100,
       {0, 100},
       {0, 32},
       {"slowest", ""},
       2},
      {"no memory", {tiny, nano}, 64, {0, 64}, {0, 32}, {"memory", ""}, 1},
      {"a small batch costs time", {small, nano}, 215, {55, 160}, {4, 32}, {"", ""}, 2},
      {"batches are cut to shards", {nano, nano}, 20, {10, 10}, {10, 10}, {"", ""}, 2},
      {"one sample goes to one worker", {nano, nano}, 1, {1, 0}, {1, 0}, {"", ""}, 2},
  };
  for (const Branch& branch : branches) {
    const Devices devices(branch.devices);
    const SchedulePlan plan = Made(devices, branch.samples, SchedulePolicy::kDeepEdge);
    EXPECT_THAT(Shards(plan), testing::ElementsAreArray(branch.shards)) << branch.name;
    EXPECT_THAT(Batches(plan), testing::ElementsAreArray(branch.batches)) << branch.name;
    for (size_t i = 0; i < branch.left_out.size(); ++i) {
      if (*branch.left_out[i] == '\0' && branch.shards[i] == 0) continue;
      EXPECT_THAT(plan.workers[i].left_out, HasSubstr(branch.left_out[i])) << branch.name;
      EXPECT_EQ(plan.workers[i].left_out.empty(), *branch.left_out[i] == '\0') << branch.name;
    }
    EXPECT_EQ(plan.rounds, branch.rounds) << branch.name;
  }
}

TEST(DeepEdgeScheduleTest, TheIterationLimitEndsARoundAndEveryRoundHasItsOwn) {
  // Shards move for a few iterations, since batches follow them.
  Device device;
  device.most_batch = 1000;
  Device faster = device;
  faster.forward_s = 0.002;
  const Devices devices({device, faster, faster});
  ScheduleProblem problem = devices.Problem(300);
  const SchedulePlan settled = MakeSchedule(problem, SchedulePolicy::kDeepEdge).value();
  EXPECT_GT(settled.iterations, 2 * settled.rounds);
  problem.most_iterations = 2;
  const SchedulePlan cut = MakeSchedule(problem, SchedulePolicy::kDeepEdge).value();
  EXPECT_EQ(cut.iterations, 2 * cut.rounds);
  EXPECT_GT(cut.rounds, 1);
  const std::vector<int64_t> shards = Shards(cut);
  EXPECT_EQ(std::accumulate(shards.begin(), shards.end(), int64_t{0}), 300);
}

TEST(DeepEdgeScheduleTest, ShardsAfterARemovalInTheLastIterationStillSumToAllSamples) {
  Device late;
  late.app_s = 2;
  const Devices devices({late, {}, {}});
  ScheduleProblem problem = devices.Problem(99);
  problem.most_iterations = 1;  // the one iteration removes a worker
  EXPECT_THAT(Shards(MakeSchedule(problem, SchedulePolicy::kDeepEdge).value()),
              ElementsAre(0, 50, 49));
}

TEST(ScheduleTest, FairIsBlindToDeadlinesAndSaysSo) {
  Device late;
  late.app_s = 1.5;
  const SchedulePlan plan = Made(Devices({late, {}, {}}), 100, SchedulePolicy::kFair);
  EXPECT_THAT(Shards(plan), ElementsAre(34, 33, 33));
  EXPECT_THAT(plan.workers[0].late_apps, HasSubstr("'sift' would take 1.5 s"));
  EXPECT_EQ(plan.workers[1].late_apps, "");
}

TEST(ScheduleTest, ReckonTakesASmallerBatchInsteadOfDroppingAWorker) {
  Device device;
  device.app_s = 0.5;
  device.app_s_per_batch = 0.05;  // late from a batch of 11 on
  const Devices devices({device, {}});
  EXPECT_THAT(Batches(Made(devices, 1000, SchedulePolicy::kDeepEdge)), ElementsAre(0, 32));
  const SchedulePlan plan = Made(devices, 1000, SchedulePolicy::kReckon);
  EXPECT_THAT(Batches(plan), ElementsAre(8, 32));
  EXPECT_EQ(plan.crew, 2U);
}

TEST(ScheduleTest, ReckonMindsTransferAndInitialisation) {
  const Devices devices({Device(), Device()});
  ScheduleProblem problem = devices.Problem(1000);
  problem.workers[0].initialise_s = 1000;  // the other one is done before it begins
  EXPECT_THAT(Shards(MakeSchedule(problem, SchedulePolicy::kReckon).value()), ElementsAre(0, 1000));
  problem.workers[0].initialise_s = 5;
  const SchedulePlan plan = MakeSchedule(problem, SchedulePolicy::kReckon).value();
  EXPECT_GT(plan.workers[0].shard, 0);
  EXPECT_NEAR(plan.workers[0].total_s, plan.workers[1].total_s, 0.05);
  problem.workers[0].initialise_s = 0;
  problem.workers[0].transfer_s_per_sample = 0.01375;  // as long as the training of a sample
  EXPECT_THAT(Shards(MakeSchedule(problem, SchedulePolicy::kReckon).value()),
              ElementsAre(333, 667));
  problem.epochs = 100;  // after which nobody remembers the transfer
  EXPECT_GT(MakeSchedule(problem, SchedulePolicy::kReckon).value().workers[0].shard, 490);
}

TEST(ScheduleTest, SaysWhatIsImpossibleAndWhatComesNearest) {
  const auto complaint = [](const ScheduleProblem& problem, SchedulePolicy policy) {
    const auto plan = MakeSchedule(problem, policy);
    EXPECT_FALSE(plan.ok());
    EXPECT_EQ(plan.error().code(), base::ErrorCode::kBadInput);
    return plan.error().Describe();
  };
  Device late;
  late.app_s = 1.2;
  late.app_s_per_batch = 0.1;
  Device later = late;
  later.app_s = 3;
  const Devices devices({later, late});
  for (const SchedulePolicy policy :
       {SchedulePolicy::kReckon, SchedulePolicy::kDeepEdge, SchedulePolicy::kExact}) {
    const std::string said = complaint(devices.Problem(100), policy);
    EXPECT_THAT(said, HasSubstr("every worker would make an app late as this policy would use it"));
    // Algorithm 1 would not take a smaller batch.
    const bool paper = policy == SchedulePolicy::kDeepEdge;
    EXPECT_THAT(said, HasSubstr(paper ? "nearest is w1 with batches of 32"
                                      : "nearest is w1 with batches of 1,"));
    EXPECT_THAT(said, HasSubstr(paper ? "4.4 s instead of 1 s: a deadline of 4400ms would do"
                                      : "1.3 s instead of 1 s: a deadline of 1300ms would do"));
    EXPECT_THAT(said, testing::Not(HasSubstr("policy reckon has a plan")));
  }
  Device careful;
  careful.app_s = 0.5;
  careful.app_s_per_batch = 0.05;
  EXPECT_THAT(complaint(Devices({careful}).Problem(100), SchedulePolicy::kDeepEdge),
              HasSubstr("policy reckon has a plan, with smaller batches"));
  ScheduleProblem two_apps = devices.Problem(100);
  two_apps.workers[1].apps.push_back({"web", 0.5});
  two_apps.workers.erase(two_apps.workers.begin());
  EXPECT_THAT(complaint(two_apps, SchedulePolicy::kReckon),
              testing::AllOf(HasSubstr("app 'sift' takes"), HasSubstr(", and app 'web' takes")));
  const Devices one({Device()});
  ScheduleProblem large = one.Problem(100);
  large.least_batch = 64;
  EXPECT_THAT(complaint(large, SchedulePolicy::kReckon), HasSubstr("--min-batch 32 would do"));
  Device tiny;
  tiny.most_batch = 0;
  EXPECT_THAT(complaint(Devices({tiny}).Problem(5), SchedulePolicy::kReckon),
              HasSubstr("no worker has memory"));
  EXPECT_THAT(complaint(Devices({Device()}).Problem(0), SchedulePolicy::kReckon),
              HasSubstr("nothing to share out: 0 samples"));
  EXPECT_THAT(complaint(Devices({}).Problem(10), SchedulePolicy::kFair),
              HasSubstr("at least one worker"));
  EXPECT_THAT(complaint(Devices(std::vector<Device>(9)).Problem(10), SchedulePolicy::kExact),
              HasSubstr("at most 8 workers"));
  ScheduleProblem problem = devices.Problem(10);
  problem.workers[0].apps[0].deadline_s = 0;
  EXPECT_THAT(complaint(problem, SchedulePolicy::kReckon), HasSubstr("deadline of 0 s"));
  EXPECT_FALSE(ParseSchedulePolicy("best").ok());
}

Devices RandomDevices(base::Rng& rng, size_t count) {
  std::vector<Device> devices;
  const double crowding = rng.Uniform() < 0.5 ? 0 : 0.05 * rng.Uniform();
  for (size_t i = 0; i < count; ++i) {
    Device device;
    device.forward_s = 0.002 + 0.03 * rng.Uniform();
    device.backward_s = 0.05 * rng.Uniform();
    device.push_s = 0.2 * rng.Uniform();
    device.crowding_s = crowding;
    device.most_batch = int64_t{1} << rng.Below(9);
    device.app_s = rng.Uniform() < 0.3 ? 0 : 0.2 + rng.Uniform();
    device.app_s_per_batch = rng.Uniform() < 0.5 ? 0 : 0.02 * rng.Uniform();
    devices.push_back(device);
  }
  return Devices(std::move(devices));
}

void CheckPlan(const ScheduleProblem& problem, const SchedulePlan& plan, uint64_t seed) {
  int64_t sum = 0;
  for (size_t i = 0; i < plan.workers.size(); ++i) {
    const WorkerPlan& worker = plan.workers[i];
    sum += worker.shard;
    ASSERT_EQ(worker.shard == 0, worker.batch == 0) << seed;
    ASSERT_EQ(worker.shard == 0, !worker.left_out.empty()) << seed;
    ASSERT_LE(worker.batch, worker.shard) << seed;
    if (worker.shard == 0) continue;
    ASSERT_LE(worker.batch, problem.estimates.MaxBatch(i)) << seed;
    if (plan.policy != SchedulePolicy::kFair) {
      ASSERT_FALSE(FirstLateApp(problem, {i, worker.batch}, plan.crew, Caution::kNone)) << seed;
    }
    if (plan.crew > 1) {
      ASSERT_GE(worker.batch, problem.least_batch) << seed;
    }
  }
  ASSERT_EQ(sum, problem.samples) << seed;
}

TEST(ScheduleTest, OnRandomClustersPlansAreWholeAndOrdered) {
  size_t planned = 0;
  for (uint64_t seed = 0; seed < 1000; ++seed) {
    base::Rng rng(seed);
    const size_t count = 1 + rng.Below(kMostExactWorkers);
    const Devices devices = RandomDevices(rng, count);
    ScheduleProblem problem = devices.Problem(3000 + static_cast<int64_t>(rng.Below(3000)));
    if (seed % 2 == 1) {
      for (ScheduleWorker& worker : problem.workers) {
        worker.initialise_s = 20 * rng.Uniform();
        worker.transfer_s_per_sample = 0.01 * rng.Uniform();
      }
    }
    const auto exact = MakeSchedule(problem, SchedulePolicy::kExact);
    const auto reckon = MakeSchedule(problem, SchedulePolicy::kReckon);
    const auto paper = MakeSchedule(problem, SchedulePolicy::kDeepEdge);
    ASSERT_EQ(exact.ok(), reckon.ok()) << seed;
    CheckPlan(problem, MakeSchedule(problem, SchedulePolicy::kFair).value(), seed);
    if (!exact.ok()) continue;
    ++planned;
    CheckPlan(problem, *exact, seed);
    CheckPlan(problem, *reckon, seed);
    ASSERT_LE(reckon->total_s, 1.02 * exact->total_s) << seed;
    ASSERT_LE(exact->total_s, reckon->total_s) << seed;
    if (!paper.ok()) continue;
    CheckPlan(problem, *paper, seed);
    ASSERT_LE(reckon->total_s, paper->total_s) << seed;
    if (seed % 2 == 0) {
      ASSERT_LE(reckon->epoch_s, paper->epoch_s) << seed;
    }
  }
  EXPECT_GT(planned, 900U);
}

// Where batches are as large as shards everything depends on everything.
TEST(ScheduleTest, FewSamplesArePlannedInTheSameOrder) {
  size_t planned = 0;
  for (uint64_t seed = 0; seed < 600; ++seed) {
    base::Rng rng(seed);
    const Devices devices = RandomDevices(rng, 1 + rng.Below(kMostExactWorkers));
    ScheduleProblem problem = devices.Problem(10 + static_cast<int64_t>(rng.Below(300)));
    if (seed % 3 == 1) problem.least_batch = 1 + static_cast<int64_t>(rng.Below(8));
    const auto exact = MakeSchedule(problem, SchedulePolicy::kExact);
    const auto reckon = MakeSchedule(problem, SchedulePolicy::kReckon);
    const auto paper = MakeSchedule(problem, SchedulePolicy::kDeepEdge);
    ASSERT_EQ(exact.ok(), reckon.ok()) << seed;
    if (!exact.ok()) continue;
    ++planned;
    CheckPlan(problem, *exact, seed);
    CheckPlan(problem, *reckon, seed);
    ASSERT_LE(exact->total_s, reckon->total_s) << seed;
    if (!paper.ok()) continue;
    CheckPlan(problem, *paper, seed);
    ASSERT_LE(reckon->total_s, paper->total_s) << seed;
  }
  EXPECT_GT(planned, 400U);
}

// What is not known of an app's latency counts, except for Algorithm 1.
class UnsureDevices final : public NodeEstimates {
 public:
  double ComputePerSample(size_t, int64_t, size_t) const override { return 0.01; }
  double UpdatePerStep(size_t, int64_t, size_t) const override { return 0.1; }
  double AppLatency(size_t, size_t, int64_t, size_t) const override { return 0.9; }
  double AppLatencyBound(size_t worker, size_t, int64_t, size_t) const override {
    return worker == 0 ? 1.1 : 0.95;
  }
  int64_t MaxBatch(size_t) const override { return 32; }
};

TEST(ScheduleTest, PromisesGoByBounds) {
  const UnsureDevices devices;
  ScheduleProblem problem{.samples = 1000, .estimates = devices};
  for (const char* name : {"unsure", "sure"}) {
    problem.workers.push_back({.name = name, .apps = {{"sift", 1.0}}});
  }
  EXPECT_EQ(MakeSchedule(problem, SchedulePolicy::kDeepEdge).value().crew, 2U);
  for (const SchedulePolicy policy : {SchedulePolicy::kReckon, SchedulePolicy::kExact}) {
    EXPECT_THAT(Shards(MakeSchedule(problem, policy).value()), ElementsAre(0, 1000));
  }
}

TEST(ScheduleTest, NobodyHasLessThanTheSmallestBatch) {
  const Devices devices({Device(), Device(), Device()});
  ScheduleProblem problem = devices.Problem(40);
  problem.least_batch = 16;
  for (const SchedulePolicy policy : {SchedulePolicy::kReckon, SchedulePolicy::kExact,
                                      SchedulePolicy::kDeepEdge, SchedulePolicy::kFair}) {
    const SchedulePlan plan = MakeSchedule(problem, policy).value();
    CheckPlan(problem, plan, 0);
    EXPECT_LE(plan.crew, 2U) << SchedulePolicyName(policy);
  }
}

TEST(ScheduleTest, ABetterWorkerNeverMakesThePlanWorse) {
  for (uint64_t seed = 0; seed < 300; ++seed) {
    base::Rng rng(seed);
    const Devices all = RandomDevices(rng, 2 + rng.Below(12));
    ScheduleProblem with = all.Problem(5000);
    ScheduleProblem without = with;
    without.workers.pop_back();
    const auto before = MakeSchedule(without, SchedulePolicy::kReckon);
    if (!before.ok()) continue;
    const auto after = MakeSchedule(with, SchedulePolicy::kReckon);
    ASSERT_TRUE(after.ok()) << seed;
    ASSERT_LE(after->total_s, before->total_s) << seed;
  }
}

TEST(ShareOutTest, LetsTheLastOneEndAsEarlyAsPossible) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    base::Rng rng(seed);
    std::vector<Pace> paces;
    for (size_t i = 0; i < 3; ++i) paces.push_back({3 * rng.Uniform(), 0.1 + rng.Uniform()});
    const int64_t samples = 1 + static_cast<int64_t>(rng.Below(20));
    const std::vector<int64_t> shards = ShareOut(paces, samples);
    const auto end = [&](std::span<const int64_t> of) {
      double last = 0;
      for (size_t i = 0; i < of.size(); ++i) {
        if (of[i] == 0) continue;
        last =
            std::max(last, paces[i].fixed_s + static_cast<double>(of[i]) * paces[i].per_sample_s);
      }
      return last;
    };
    double best = INFINITY;
    for (int64_t a = 0; a <= samples; ++a) {
      for (int64_t b = 0; a + b <= samples; ++b) {
        best = std::min(best, end(std::vector<int64_t>{a, b, samples - a - b}));
      }
    }
    ASSERT_EQ(std::accumulate(shards.begin(), shards.end(), int64_t{0}), samples);
    ASSERT_NEAR(end(shards), best, 1e-9) << seed;
  }
}

}  // namespace
}  // namespace reckon::decide
