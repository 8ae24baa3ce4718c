// The memory that a job is said to need is about what it takes.
#include <fstream>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <malloc.h>
#include <sys/resource.h>

#include "tests/support/temp_folder.h"
#include "tests/train/ranks.h"
#include "worker/allocator.h"

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
      worker::KeepFreedMemory();  // as reckon-worker does
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

// Pages that this process had to be given so far.
long PageFaults() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_minflt;
}

// Notes the faults after every step.
class CountsFaults final : public SilentListener {
 public:
  void StepEnded(size_t, size_t, const worker::StepOutcome&) override {
    faults.push_back(PageFaults());
    if (faults.size() == kSteps) source.request_stop();
  }
  static constexpr size_t kSteps = 8;
  std::vector<long> faults;
  std::stop_source source;
};

// In the later half of the steps, a step.
long FaultsOfLaterSteps(bool keep_freed_memory) {
  const support::TempFolder folder;
  core::TrainerJob job;
  job.network = "cnn-small";
  job.data.images = 2048;
  job.batches = {256};
  const std::string answer = folder / "faults";
  const auto ends = RunRanks(1, [&](size_t) {
    if (keep_freed_memory) {
      worker::KeepFreedMemory();
    } else {
      // As shipped: what tests before this one have freed has taught the library otherwise.
      constexpr int kShipped = 128 << 10;
      mallopt(M_MMAP_THRESHOLD, kShipped);
      mallopt(M_TRIM_THRESHOLD, kShipped);
    }
    CountsFaults listener;
    (void)RankTraining(job, 0, 1, 0).Run(listener, listener.source.get_token());
    if (listener.faults.size() < CountsFaults::kSteps) return 1;
    std::ofstream(answer) << listener.faults.back() - listener.faults[CountsFaults::kSteps / 2 - 1];
    return 0;
  });
  EXPECT_THAT(ends, Each(0));
  long faults = -1;
  std::ifstream(answer) >> faults;
  return faults / static_cast<long>(CountsFaults::kSteps / 2);
}

TEST(MemoryTest, LaterStepsUseTheMemoryOfTheFirst) {
  const long kept = FaultsOfLaterSteps(true);
  const long given_back = FaultsOfLaterSteps(false);
  std::printf("pages a step: %ld kept, %ld given back\n", kept, given_back);
  EXPECT_GE(kept, 0);
  EXPECT_LT(10 * kept, given_back);
}

}  // namespace
}  // namespace reckon::tests
