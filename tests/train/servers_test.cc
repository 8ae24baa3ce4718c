// Training through parameter servers ends where training by all-reduce ends.
#include <array>
#include <atomic>
#include <cmath>
#include <fstream>
#include <numeric>
#include <thread>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <sys/mman.h>

#include "base/log.h"
#include "tests/support/temp_folder.h"
#include "tests/train/ranks.h"
#include "train/ps/checkpoint.h"
#include "train/ps/server.h"
#include "train/ps/server_options.h"

namespace reckon::tests {
namespace {

using ::testing::_;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Ne;

constexpr size_t kWorkers = 2;

constexpr size_t kToTheEnd = 1'000'000;

std::filesystem::path CheckpointOf(const core::TrainerJob& job, size_t server) {
  return fmt::format("{}.server-{}", job.checkpoint, server);
}

// Rank 0 and 1 are servers, the others workers, whose model ends up in job.save; `made` makes what
// listens to worker i. Workers end with 3 when they were stopped.
std::vector<int> TrainWithServers(const core::TrainerJob& job,
                                  const std::function<std::unique_ptr<StopsAfter>(size_t)>& made) {
  const std::vector<uint16_t> ports{FreePort(), FreePort()};
  const std::string token = "secret";
  return RunRanks(ports.size() + kWorkers, [&](size_t rank) {
    if (rank < ports.size()) {
      base::Logger log(base::LogLevel::kWarn);
      const train::ServerPlace place{
          {"127.0.0.1", ports[rank]}, rank, ports.size(), kWorkers, token};
      const auto options = train::MakeServerOptions(job, place).value();
      return train::ParameterServer::Start(options, log).value()->Serve({}).ok() ? 0 : 1;
    }
    worker::RankEnvironment environment;
    environment.rank = rank - ports.size();
    environment.workers = kWorkers;
    environment.token = token;
    for (const uint16_t port : ports) environment.servers.push_back({"127.0.0.1", port});
    const auto listener = made(environment.rank);
    const base::Status done =
        RankTraining(job, environment).Run(*listener, listener->source.get_token());
    if (done.ok()) return 0;
    std::ofstream(fmt::format("{}.error-{}", job.save, environment.rank))
        << done.error().Describe();
    return done.error().code() == base::ErrorCode::kInterrupted ? 3 : 1;
  });
}

// Each worker stops after so many steps.
std::vector<int> TrainWithServers(const core::TrainerJob& job, size_t steps = kToTheEnd) {
  return TrainWithServers(job, [&](size_t) { return std::make_unique<StopsAfter>(steps); });
}

std::vector<float> FloatsOf(const std::string& model) {
  return std::get<std::vector<float>>(train::ReadModel(model)->parameters);
}

// The share of the validation images that the model in `file` tells right.
double AccuracyOf(core::TrainerJob job, const std::string& file) {
  job.base_model = file;
  const std::string answer = file + ".accuracy";
  const auto ends = RunRanks(1, [&](size_t) {
    const train::TrainingData data = train::LoadData(job.data, job.seed).value();
    const train::CheckedJob checked = train::CheckJob(job, 1).value();
    const auto replica = worker::Replica::Make(checked.network, data.train.shape, {}).value();
    (void)worker::LoadBeginning({job, checked, data, 0, {}}, *replica).value();
    std::vector<uint32_t> rows(data.validation.size());
    std::iota(rows.begin(), rows.end(), 0U);
    train::Prefetcher batches(data.validation, rows, 500);
    size_t correct = 0;
    while (const auto batch = batches.Next().value())
      correct += replica->CountCorrect(*batch).value();
    std::ofstream(answer) << static_cast<double>(correct) / static_cast<double>(rows.size());
    return 0;
  });
  double accuracy = 0;
  std::ifstream(answer) >> accuracy;
  return accuracy;
}

core::TrainerJob DigitsJob() {
  core::TrainerJob job;
  // With fewer images or epochs both end where a last step still moves the accuracy by points.
  job.data.images = 24000;
  job.data.validation_images = 4000;
  job.epochs = 8;
  job.optimiser.rate = 0.01;
  job.optimiser.momentum = 0.9;
  return job;
}

TEST(ServersTest, SynchronousServersAreAllReduce) {
  const support::TempFolder folder;
  core::TrainerJob job = DigitsJob();
  job.data.images = 1000;
  job.epochs = 1;
  const auto reduced = FinalParameters(job, kWorkers, folder.path());
  job.strategy = core::Strategy::kSyncParameterServer;
  job.save = folder / "sync";
  ASSERT_THAT(TrainWithServers(job), Each(0));
  const auto served = FloatsOf(job.save);
  ASSERT_EQ(served.size(), reduced.size());
  double largest = 0;
  for (size_t i = 0; i < served.size(); ++i) {
    largest = std::max(largest, std::abs(reduced[i] - static_cast<double>(served[i])));
  }
  EXPECT_LT(largest, 1e-5);  // eight steps in 32 bits; the order of additions differs
}

// In the middle of an epoch, with momentum and dropout; also when the servers' last checkpoints are
// not of the same step.
TEST(ServersTest, SynchronousServersGoOnExactlyFromTheStepThatAllHave) {
  for (const char* optimizer : {"sgd", "adam"}) {
    const support::TempFolder folder;
    core::TrainerJob job = SmallJob(kWorkers, 8);
    job.float64 = false;
    job.data.images = 8 * kWorkers * 9;
    job.epochs = 3;
    job.knobs["dropout"] = "0.3";
    job.optimiser.name = optimizer;
    job.optimiser.rate = 0.02;
    job.optimiser.momentum = 0.9;
    job.strategy = core::Strategy::kSyncParameterServer;
    job.save = folder / "model";
    ASSERT_THAT(TrainWithServers(job), Each(0));
    const auto straight = FloatsOf(job.save);
    for (const bool uneven : {false, true}) {
      std::filesystem::remove(job.save);
      job.checkpoint = folder / (uneven ? "uneven" : "even");
      job.checkpoint_every = 5;
      const auto ends = TrainWithServers(job, 13);
      EXPECT_THAT(ends, ElementsAre(Ne(0), Ne(0), 3, 3));
      const auto saved = train::ReadLastCheckpoints(CheckpointOf(job, 0)).value();
      ASSERT_EQ(saved.size(), 2);
      EXPECT_EQ(saved[0].snapshot.optimiser.steps, 13);
      EXPECT_EQ(saved[1].snapshot.optimiser.steps, 10);
      if (uneven) {  // twice one server is killed before its last one
        std::filesystem::remove(CheckpointOf(job, 1));
        EXPECT_THAT(TrainWithServers(job, 1), ElementsAre(Ne(0), Ne(0), 3, 3));
        std::filesystem::remove(CheckpointOf(job, 1));
      }
      ASSERT_THAT(TrainWithServers(job), Each(0));
      EXPECT_EQ(FloatsOf(job.save), straight) << optimizer << (uneven ? ", uneven" : "");
    }
    std::filesystem::remove(CheckpointOf(job, 1));
    std::filesystem::remove(CheckpointOf(job, 1).string() + ".before");
    EXPECT_THAT(TrainWithServers(job), ElementsAre(_, _, 1, 1));
    std::ifstream error(job.save + ".error-0");
    const std::string why(std::istreambuf_iterator<char>(error), {});
    EXPECT_THAT(why, HasSubstr("do not belong together (server 0 has step 27 and 25, server 1 has "
                               "none)"));
  }
}

// Worker 1 has two batches an epoch, worker 0 six.
TEST(ServersTest, AsynchronousWorkersOfUnequalShardsGoOnWhereTheyWere) {
  const support::TempFolder folder;
  core::TrainerJob job = SmallJob(kWorkers, 16);
  job.float64 = false;
  job.data.images = 128;
  job.shards = {96, 32};
  job.epochs = 3;
  job.strategy = core::Strategy::kAsyncParameterServer;
  job.save = folder / "model";
  job.checkpoint = folder / "checkpoint";
  ASSERT_THAT(TrainWithServers(job), Each(0));
  EXPECT_THAT(train::ReadCheckpoint(CheckpointOf(job, 0))->pushed, ElementsAre(18, 6));
  // One that made a step would stop then.
  EXPECT_THAT(TrainWithServers(job, 1), Each(0));
}

// For as many images, within one point of a hundred.
TEST(ServersTest, AsynchronousTrainingIsAsAccurateAsSynchronous) {
  const support::TempFolder folder;
  core::TrainerJob job = DigitsJob();
  job.strategy = core::Strategy::kSyncParameterServer;
  job.save = folder / "sync";
  ASSERT_THAT(TrainWithServers(job), Each(0));
  const double synchronous = AccuracyOf(job, job.save);
  job.strategy = core::Strategy::kAsyncParameterServer;
  job.save = folder / "async";
  ASSERT_THAT(TrainWithServers(job), Each(0));
  const double asynchronous = AccuracyOf(job, job.save);
  std::printf("accuracy: synchronous %.4f, asynchronous %.4f\n", synchronous, asynchronous);
  EXPECT_GT(synchronous, 0.9);
  EXPECT_GE(asynchronous, synchronous - 0.01);
}

TEST(ServersTest, OnlyTheLastLayersMoveInFineTuning) {
  for (const auto strategy :
       {core::Strategy::kSyncParameterServer, core::Strategy::kAsyncParameterServer}) {
    const support::TempFolder folder;
    core::TrainerJob job = SmallJob(kWorkers, 8);
    job.float64 = false;
    job.data.images = 160;
    (void)FinalParameters(job, 1, folder.path());
    job.base_model = folder / "base";
    std::filesystem::rename(folder / "model", job.base_model);
    job.fine_tune = 1;
    job.strategy = strategy;
    job.save = folder / "tuned";
    ASSERT_THAT(TrainWithServers(job), Each(0));
    const auto base = FloatsOf(job.base_model);
    const auto tuned = FloatsOf(job.save);
    ASSERT_EQ(tuned.size(), base.size());
    constexpr size_t kLast = 85 * 10;  // the last layer of lenet5: 84 inputs and a bias each
    EXPECT_TRUE(std::equal(base.begin(), base.end() - kLast, tuned.begin()));
    EXPECT_FALSE(std::equal(base.end() - kLast, base.end() - kLast / 2, tuned.end() - kLast));
    EXPECT_NE(base.back(), tuned.back());
  }
}

// Steps of both workers, where both processes see them.
struct SharedSteps {
  std::array<std::atomic<int>, kWorkers> done{};
  std::atomic<int> lead = 0;  // the most that worker 0 was ahead
};

class Counts final : public StopsAfter {
 public:
  Counts(SharedSteps& shared, size_t worker)
      : StopsAfter(kToTheEnd), shared_(shared), worker_(worker) {}
  void StepEnded(size_t, size_t, const worker::StepOutcome&) override {
    ++shared_.done[worker_];
    if (worker_ == 0) {
      // Nobody is held back before the other is there.
      while (shared_.done[1] == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      shared_.lead = std::max<int>(shared_.lead, shared_.done[0] - shared_.done[1]);
    } else {
      std::this_thread::sleep_for(std::chrono::milliseconds(30));
    }
  }

 private:
  SharedSteps& shared_;
  size_t worker_;
};

TEST(ServersTest, StalenessHoldsTheFastWorkerBack) {
  const support::TempFolder folder;
  core::TrainerJob job = SmallJob(kWorkers, 4);
  job.float64 = false;
  job.data.images = 4 * kWorkers * 30;
  job.strategy = core::Strategy::kAsyncParameterServer;
  job.save = folder / "model";
  const auto lead = [&](std::optional<int64_t> staleness) {
    job.staleness = staleness;
    void* memory = mmap(nullptr, sizeof(SharedSteps), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    auto* shared = new (memory) SharedSteps;
    EXPECT_THAT(TrainWithServers(
                    job, [&](size_t worker) { return std::make_unique<Counts>(*shared, worker); }),
                Each(0));
    const int most = shared->lead;
    munmap(memory, sizeof(SharedSteps));
    return most;
  };
  // The slow one hears of its step after the server does, and counts it then; and it may have come
  // after the first step of the other, where it begins.
  EXPECT_LE(lead(2), 4);
  EXPECT_GT(lead(std::nullopt), 6);
}

// One step of unequal batches. The second gradient may or may not know of the first, which matters
// little at so small a rate.
TEST(ServersTest, AsynchronousBatchesCountByTheirImages) {
  const support::TempFolder folder;
  core::TrainerJob job = SmallJob(kWorkers, 10);
  job.float64 = false;
  job.data.images = 30;
  job.batches = {10, 20};
  job.optimiser.rate = 0;
  const auto begin = FinalParameters(job, kWorkers, folder.path());
  job.optimiser.rate = 1e-3;
  const auto mean = FinalParameters(job, kWorkers, folder.path());
  job.strategy = core::Strategy::kAsyncParameterServer;
  job.save = folder / "async";
  job.checkpoint = folder / "checkpoint";
  ASSERT_THAT(TrainWithServers(job), Each(0));
  // Not the model, which the one that ends first may write last.
  std::vector<float> served;
  for (size_t server = 0; server < 2; ++server) {
    const auto part = train::ReadCheckpoint(CheckpointOf(job, server))->parameters;
    served.insert(served.end(), part.begin(), part.end());
  }
  ASSERT_EQ(served.size(), begin.size());
  double difference = 0;
  double moved = 0;
  for (size_t i = 0; i < begin.size(); ++i) {
    difference += std::pow(static_cast<double>(served[i]) - mean[i], 2);
    moved += std::pow(mean[i] - begin[i], 2);
  }
  EXPECT_LT(std::sqrt(difference / moved), 0.05);
}

}  // namespace
}  // namespace reckon::tests
