// Training through parameter servers ends where training by all-reduce ends.
#include <cmath>
#include <fstream>
#include <numeric>

#include <gmock/gmock.h>

#include "base/log.h"
#include "tests/support/temp_folder.h"
#include "tests/train/ranks.h"
#include "train/ps/server.h"

namespace reckon::tests {
namespace {

using ::testing::Each;

constexpr size_t kWorkers = 2;

// Rank 0 and 1 are servers, the others workers, whose model ends up in job.save.
std::vector<int> TrainWithServers(const core::TrainerJob& job) {
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
      return train::ParameterServer::Start(options, log).value()->Serve({}).ok() ? 0 : 1;
    }
    train::ClientOptions client;
    for (const uint16_t port : ports) client.servers.push_back({"127.0.0.1", port});
    client.worker = rank - ports.size();
    client.workers = kWorkers;
    SilentListener listener;
    RankTraining training(job, client.worker, kWorkers, client);
    const base::Status done = training.Run(listener);
    if (!done.ok()) std::fprintf(stderr, "rank %zu: %s\n", rank, done.error().Describe().c_str());
    return done.ok() ? 0 : 1;
  });
}

// The share of the validation images that the model in `file` tells right.
double AccuracyOf(core::TrainerJob job, const std::string& file) {
  job.base_model = file;
  const std::string answer = file + ".accuracy";
  const auto ends = RunRanks(1, [&](size_t) {
    const train::TrainingData data = train::LoadData(job.data, job.seed).value();
    const train::Network network =
        train::BuildNetwork(job.network, job.knobs, data.train.shape, 10).value();
    const auto replica = worker::Replica::Make(network, data.train.shape, {}).value();
    (void)worker::LoadBeginning(job, network, *replica).value();
    std::vector<uint32_t> rows(data.validation.size());
    std::iota(rows.begin(), rows.end(), 0U);
    train::Prefetcher batches(data.validation, rows, 500);
    size_t correct = 0;
    while (const auto batch = batches.Next()) correct += replica->CountCorrect(*batch).value();
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
  job.epochs = 8;
  job.optimiser.rate = 0.02;
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
  EXPECT_GT(synchronous, 0.88);
  EXPECT_GE(asynchronous, synchronous - 0.01);
}

}  // namespace
}  // namespace reckon::tests
