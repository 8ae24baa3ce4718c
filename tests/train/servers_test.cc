// Training through parameter servers ends where training by all-reduce ends.
#include <cmath>
#include <fstream>
#include <numeric>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "base/log.h"
#include "tests/support/temp_folder.h"
#include "tests/train/ranks.h"
#include "train/ps/checkpoint.h"
#include "train/ps/server.h"

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

// Rank 0 and 1 are servers, the others workers, whose model ends up in job.save. Workers end with 3
// when they stopped after `steps`.
std::vector<int> TrainWithServers(const core::TrainerJob& job, size_t steps = kToTheEnd) {
  const std::vector<uint16_t> ports{FreePort(), FreePort()};
  const bool sync = job.strategy == core::Strategy::kSyncParameterServer;
  return RunRanks(ports.size() + kWorkers, [&](size_t rank) {
    if (rank < ports.size()) {
      base::Logger log(base::LogLevel::kWarn);
      train::ServerOptions options;
      options.listen = {"127.0.0.1", ports[rank]};
      options.gate.mode = sync ? train::StepMode::kSync : train::StepMode::kAsync;
      options.gate.workers = kWorkers;
      options.optimiser = train::ReadOptimiser(job.optimiser).value();
      if (!sync) options.optimiser = train::OneByOne(options.optimiser, kWorkers);
      if (!job.checkpoint.empty()) options.checkpoint = CheckpointOf(job, rank);
      options.checkpoint_steps = static_cast<uint64_t>(job.checkpoint_every);
      return train::ParameterServer::Start(options, log).value()->Serve({}).ok() ? 0 : 1;
    }
    train::ClientOptions client;
    for (const uint16_t port : ports) client.servers.push_back({"127.0.0.1", port});
    client.worker = rank - ports.size();
    client.workers = kWorkers;
    StopsAfter listener(steps);
    RankTraining training(job, client.worker, kWorkers, client);
    const base::Status done = training.Run(listener, listener.source.get_token());
    if (done.ok()) return 0;
    std::ofstream(fmt::format("{}.error-{}", job.save, client.worker)) << done.error().Describe();
    return done.error().code() == base::ErrorCode::kInterrupted ? 3 : 1;
  });
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
  job.data.validation_images = 4000;
  job.epochs = 12;  // fewer leave both where a last step still moves the accuracy by points
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
  const auto served = std::get<std::vector<float>>(train::ReadModel(job.save)->parameters);
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
    const auto parameters = [&] {
      return std::get<std::vector<float>>(train::ReadModel(job.save)->parameters);
    };
    ASSERT_THAT(TrainWithServers(job), Each(0));
    const auto straight = parameters();
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
      EXPECT_EQ(parameters(), straight) << optimizer << (uneven ? ", uneven" : "");
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

}  // namespace
}  // namespace reckon::tests
