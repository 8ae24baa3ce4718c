// The memory that a job is said to need is about what it takes.
#include <fstream>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "tests/support/temp_folder.h"
#include "tests/train/ranks.h"

namespace reckon::tests {
namespace {

using ::testing::Each;

// Of this process so far, in bytes.
double PeakMemory() {
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("VmHWM:")) return 1024 * std::stod(line.substr(6));
  }
  return 0;
}

TEST(MemoryTest, TheEstimateIsWithinAFactorOfTwo) {
  const support::TempFolder folder;
  for (const auto& [network, batch] :
       {std::pair("lenet5", 16), std::pair("lenet5", 2000), std::pair("cnn-small", 500),
        std::pair("cnn-large", 100), std::pair("mlp", 64)}) {
    core::TrainerJob job;
    job.network = network;
    job.data.images = 2000;
    job.data.replicate = 2;
    job.batches = {batch};
    job.optimiser = {"adam", 0.001, 0, 0};
    const std::string answer = folder / fmt::format("{}-{}", network, batch);
    const auto ends = RunRanks(1, [&](size_t) {
      StopsAfter listener(2);
      (void)RankTraining(job, 0, 1, 0).Run(listener, listener.source.get_token());
      std::ofstream(answer) << PeakMemory();
      return 0;
    });
    ASSERT_THAT(ends, Each(0));
    double measured = 0;
    std::ifstream(answer) >> measured;
    const auto told = static_cast<double>(train::CheckJob(job, 1)->memory_bytes);
    std::printf("%s, batch %d: told %.0f MB, took %.0f MB\n", network, batch, told / 1e6,
                measured / 1e6);
    EXPECT_GT(told, measured / 2) << network << " " << batch;
    EXPECT_LT(told, measured * 2) << network << " " << batch;
  }
}

}  // namespace
}  // namespace reckon::tests
