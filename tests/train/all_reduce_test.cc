// Several workers that add up their gradients are one worker with all their images.
#include <array>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <unistd.h>

#include "base/file.h"
#include "base/fingerprint.h"
#include "tests/support/temp_folder.h"
#include "tests/train/ranks.h"
#include "train/going_on.h"

namespace reckon::tests {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

double LargestDifference(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.empty() || a.size() != b.size()) return INFINITY;
  double largest = 0;
  for (size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

// The smallest makes some 70 buckets of the network of SmallJob, the largest one.
constexpr std::array<size_t, 2> kBuckets{size_t{4} << 10, worker::kBucketBytes};

std::vector<double> FirstParameters(const core::TrainerJob& job, const std::string& file) {
  EXPECT_THAT(RunRanks(1,
                       [&](size_t) {
                         RankTraining training(job, 0, 1, 0);
                         const auto own = training.replica().parameters().As<double>();
                         std::ofstream out(file, std::ios::binary);
                         out.write(reinterpret_cast<const char*>(own.data()),
                                   static_cast<std::streamsize>(own.size_bytes()));
                         return out.good() ? 0 : 1;
                       }),
              Each(0));
  const std::string bytes = base::ReadFile(file).value();
  std::vector<double> numbers(bytes.size() / sizeof(double));
  std::memcpy(numbers.data(), bytes.data(), bytes.size());
  return numbers;
}

TEST(AllReduceTest, NWorkersAreOneWithTheNFoldBatch) {
  const support::TempFolder folder;
  for (const size_t workers : {2U, 3U}) {
    const core::TrainerJob many = SmallJob(workers, 8);
    core::TrainerJob one = many;
    one.batches = {8 * static_cast<int64_t>(workers)};
    const auto alone = FinalParameters(one, 1, folder.path());
    for (const size_t bucket : kBuckets) {
      const auto together = FinalParameters(many, workers, folder.path(), bucket);
      // 50 steps of SGD in float64; only the order of additions differs.
      EXPECT_LT(LargestDifference(together, alone), 1e-9) << workers << " " << bucket;
    }
    // And the training went somewhere.
    EXPECT_GT(LargestDifference(alone, FirstParameters(one, folder / "first")), 1e-2);
  }
}

// Every sum has begun when the backward pass returns, the first ones while it ran.
TEST(AllReduceTest, SumsBeginWithinTheBackwardPass) {
  const uint16_t port = FreePort();
  const auto ends = RunRanks(2, [&](size_t rank) {
    const core::TrainerJob job = SmallJob(2, 8);
    const train::TrainingData data = train::LoadData(job.data, job.seed).value();
    const train::Network network =
        train::BuildNetwork(job.network, job.knobs, data.train.shape, 10).value();
    const auto replica = worker::Replica::Make(network, data.train.shape, {true, job.seed}).value();
    const auto group =
        worker::ProcessGroup::Join({rank, 2, {"127.0.0.1", port}, "127.0.0.1"}).value();
    worker::GradientReducer reducer(*group, replica->gradients(), kBuckets[0]);
    // Passes on, and looks how far it is when the last layer's gradients are there.
    struct Watch final : worker::GradientListener {
      explicit Watch(worker::GradientReducer& to) : reducer(to) {}
      void Ready(size_t begin, size_t end) override {
        reducer.Ready(begin, end);
        counts.push_back(reducer.begun());
      }
      worker::GradientReducer& reducer;
      std::vector<size_t> counts;
    } watch(reducer);
    train::Prefetcher batches(data.train, {0, 1, 2, 3}, 4);
    (void)replica->Backward(batches.Next().value().value(), 1, 0, &watch).value();
    const size_t parts = network.parameters() * sizeof(double) / kBuckets[0] + 1;
    const bool early = watch.counts.size() == 10 && watch.counts[3] > 0 &&
                       watch.counts[3] < parts && watch.counts.back() == parts;
    const bool all = reducer.buckets() == parts && reducer.begun() == parts;
    const bool again = reducer.Finish().ok() && reducer.begun() == 0;
    return early && all && again ? 0 : 1;
  });
  EXPECT_THAT(ends, Each(0));
}

TEST(AllReduceTest, UnequalBatchesCountByTheirImages) {
  const support::TempFolder folder;
  core::TrainerJob many = SmallJob(2, 8);
  many.batches = {13, 3};
  core::TrainerJob one = many;
  one.batches = {16};
  EXPECT_LT(LargestDifference(FinalParameters(many, 2, folder.path()),
                              FinalParameters(one, 1, folder.path())),
            1e-9);
}

// Writes a fingerprint of the parameters after every step into a file.
class Prints final : public SilentListener {
 public:
  Prints(worker::Replica& replica, const std::string& file) : replica_(replica), out_(file) {}
  void StepEnded(size_t, size_t, const worker::StepOutcome&) override {
    base::Fingerprint print;
    for (const double value : replica_.parameters().As<double>()) print.Add(value);
    out_ << print.Hex() << std::endl;
  }

 private:
  worker::Replica& replica_;
  std::ofstream out_;
};

std::vector<std::string> LinesOf(const std::string& file) {
  std::ifstream in(file);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

// Shards of 30, 11 and 50 images with batches of 10, 4 and 9: steps 3, 3 and 6, so that two workers
// run out of data and join in until the third is done, with smaller last batches on the way.
core::TrainerJob UnevenJob() {
  core::TrainerJob job = SmallJob(3, 8);
  job.data.images = 91;
  job.shards = {30, 11, 50};
  job.batches = {10, 4, 9};
  job.shuffle = false;
  job.epochs = 2;
  return job;
}

TEST(AllReduceTest, ReplicasAreTheSameAfterEveryStepAlsoWhenSomeHaveNoDataLeft) {
  for (const size_t bucket : kBuckets) {
    const support::TempFolder folder;
    const core::TrainerJob job = UnevenJob();
    const uint16_t port = FreePort();
    const auto ends = RunRanks(3, [&](size_t rank) {
      RankTraining training(job, rank, 3, port, bucket);
      Prints prints(training.replica(), folder.path() / std::to_string(rank));
      return training.Run(prints).ok() ? 0 : 1;
    });
    ASSERT_THAT(ends, Each(0));
    const auto first = LinesOf(folder.path() / "0");
    ASSERT_EQ(first.size(), 12);
    EXPECT_NE(first[0], first[11]);
    EXPECT_EQ(LinesOf(folder.path() / "1"), first);
    EXPECT_EQ(LinesOf(folder.path() / "2"), first);
  }
}

// By hand, on one replica: in every step the mean over the images of all workers that have some.
TEST(AllReduceTest, UnequalShardsAreWeightedByTheirImages) {
  const support::TempFolder folder;
  const core::TrainerJob job = UnevenJob();
  const auto together = FinalParameters(job, 3, folder.path(), kBuckets[0]);
  const auto by_hand = [&](size_t) {
    const train::TrainingData data = train::LoadData(job.data, job.seed).value();
    const train::Network network =
        train::BuildNetwork(job.network, job.knobs, data.train.shape, 10).value();
    const auto replica = worker::Replica::Make(network, data.train.shape, {true, job.seed}).value();
    const std::vector<uint32_t> begins{0, 30, 41};
    for (int epoch = 0; epoch < 2; ++epoch) {
      for (uint32_t step = 0; step < 6; ++step) {
        std::vector<uint32_t> rows;
        for (size_t w = 0; w < 3; ++w) {
          const auto size = static_cast<uint32_t>(job.shards[w]);
          const auto batch = static_cast<uint32_t>(job.batches[w]);
          for (uint32_t i = step * batch; i < std::min(size, (step + 1) * batch); ++i) {
            rows.push_back(begins[w] + i);
          }
        }
        train::Prefetcher batches(data.train, rows, rows.size());
        const train::Batch batch = batches.Next().value().value();
        (void)replica->Backward(batch, 1, 0, nullptr).value();
        const auto gradients = replica->gradients().As<double>();
        const auto parameters = replica->trained().As<double>();
        for (size_t i = 0; i < parameters.size(); ++i) parameters[i] -= 0.1 * gradients[i];
      }
    }
    const auto own = replica->parameters().As<double>();
    return LargestDifference(together, {own.begin(), own.end()}) < 1e-9 ? 0 : 1;
  };
  EXPECT_THAT(RunRanks(1, by_hand), Each(0));
}

// Momentum, Adam's means, dropout and the middle of an epoch: all of it comes back to the last bit.
TEST(AllReduceTest, ACheckpointGoesOnExactly) {
  for (const char* optimizer : {"sgd", "adam"}) {
    const support::TempFolder folder;
    core::TrainerJob job = SmallJob(2, 8);
    job.data.images = 8 * 2 * 9;
    job.epochs = 3;
    job.knobs["dropout"] = "0.3";
    job.optimiser.name = optimizer;
    job.optimiser.rate = 0.02;
    job.optimiser.momentum = 0.9;
    const auto straight = FinalParameters(job, 2, folder.path());
    job.checkpoint = folder.path() / "checkpoint";
    job.checkpoint_every = 5;
    const uint16_t port = FreePort();
    const auto ends = RunRanks(2, [&](size_t rank) {
      RankTraining training(job, rank, 2, port);
      StopsAfter listener(13);
      const base::Status done = training.Run(listener, listener.source.get_token());
      return !done.ok() && done.error().code() == base::ErrorCode::kInterrupted ? 0 : 1;
    });
    ASSERT_THAT(ends, Each(0));
    EXPECT_EQ(train::ReadModel(job.checkpoint).value().steps, 10);
    const auto resumed = FinalParameters(job, 2, folder.path());
    EXPECT_EQ(LargestDifference(straight, resumed), 0) << optimizer;
  }
}

// What every worker ends with: its last epoch when it ended early.
std::vector<int> LastEpochs(const core::TrainerJob& job, size_t workers, size_t who,
                            size_t wanted) {
  const uint16_t port = FreePort();
  return RunRanks(workers, [&](size_t rank) {
    EndsEarly listener(rank == who ? wanted : 0);
    const base::Status done = RankTraining(job, rank, workers, port).Run(listener);
    return done.ok() ? static_cast<int>(listener.ended_after) : 99;
  });
}

TEST(AllReduceTest, WhenOneWorkerIsToldToEndAllEndAfterTheSameEpoch) {
  core::TrainerJob job = SmallJob(3, 4);
  job.data.images = 4 * 3 * 5 + 7;  // the last step of an epoch has fewer
  job.epochs = 6;
  EXPECT_THAT(LastEpochs(job, 3, 1, 2), Each(2));
  EXPECT_THAT(LastEpochs(job, 1, 0, 3), Each(3));
  EXPECT_THAT(LastEpochs(job, 2, 0, 0), Each(0));  // nobody: all epochs
  EXPECT_THAT(LastEpochs(job, 2, 1, 6), Each(0));  // the last epoch ends by itself
}

// At the end of an epoch every image was seen, whoever shared them out how.
TEST(AllReduceTest, OtherCrewsGoOnFromTheEndOfAnEpochAndNoOtherPlace) {
  const support::TempFolder folder;
  core::TrainerJob job = SmallJob(3, 4);
  job.data.images = 4 * 3 * 6;
  job.epochs = 5;
  job.optimiser.name = "adam";
  job.optimiser.rate = 0.001;
  job.checkpoint = folder.path() / "checkpoint";
  job.checkpoint_epochs = true;
  EXPECT_THAT(LastEpochs(job, 3, 0, 2), Each(2));
  const train::SavedModel kept = train::ReadModel(job.checkpoint).value();
  EXPECT_EQ(kept.steps, 12);
  EXPECT_EQ(kept.epochs, 2);
  // Two workers of batch 4: nine steps an epoch.
  const uint16_t port = FreePort();
  class Begins : public SilentListener {
   public:
    void WentOnFrom(uint64_t step) override { begun = step; }
    void EpochEnded(size_t epoch, std::optional<double>, double, size_t, bool) override {
      last = epoch;
    }
    uint64_t begun = 0;
    size_t last = 0;
  };
  const auto others = RunRanks(2, [&](size_t rank) {
    Begins listener;
    const base::Status done = RankTraining(job, rank, 2, port).Run(listener);
    return done.ok() && listener.begun == 18 && listener.last == 4 ? 0 : 1;
  });
  EXPECT_THAT(others, Each(0));

  job.checkpoint_epochs = false;
  job.checkpoint_every = 4;  // in the middle of an epoch of six
  std::filesystem::remove(job.checkpoint);
  const auto stopped = RunRanks(3, [&, at = FreePort()](size_t rank) {
    RankTraining training(job, rank, 3, at);
    StopsAfter listener(5);
    return training.Run(listener, listener.source.get_token()).ok() ? 1 : 0;
  });
  ASSERT_THAT(stopped, Each(0));
  EXPECT_FALSE(train::ReadModel(job.checkpoint).value().epochs.has_value());
  const auto refused = RunRanks(1, [&](size_t) {
    const train::TrainingData data = train::LoadData(job.data, job.seed).value();
    const auto checked = train::CheckSettings(job, 2, data.train.size(), data.validation.size(),
                                              data.train.shape, data.train.classes)
                             .value();
    const auto progress =
        train::ReadProgress(job, checked, train::CourseOf(job, checked, data.train));
    return !progress.ok() && progress.error().Describe().find("workers 3") != std::string::npos ? 0
                                                                                                : 1;
  });
  EXPECT_THAT(refused, Each(0));
}

TEST(AllReduceTest, ALostAndAHungWorkerEndTheOthersWithTheReason) {
  for (const bool hung : {false, true}) {
    const support::TempFolder folder;
    core::TrainerJob job = SmallJob(2, 8);
    job.epochs = 50;
    job.patience_s = 2;
    const uint16_t port = FreePort();
    // Rank 1 dies or stands still in the middle.
    class Fails final : public SilentListener {
     public:
      explicit Fails(bool hangs) : hangs_(hangs) {}
      void StepEnded(size_t, size_t step, const worker::StepOutcome&) override {
        if (step != 7) return;
        if (!hangs_) _exit(9);
        sleep(6);
        _exit(9);
      }

     private:
      bool hangs_;
    };
    const auto begin = std::chrono::steady_clock::now();
    const auto ends = RunRanks(2, [&](size_t rank) {
      RankTraining training(job, rank, 2, port);
      Fails fails(hung);
      SilentListener silent;
      const base::Status done =
          training.Run(rank == 1 ? static_cast<worker::TrainingListener&>(fails) : silent);
      const std::string why = done.ok() ? "" : done.error().Describe();
      const auto waited = std::chrono::steady_clock::now() - begin;
      const bool as_said = why.find(hung ? "stands still" : "went away") != std::string::npos &&
                           waited < std::chrono::seconds(30);
      if (!as_said) std::fprintf(stderr, "hung %d: %s\n", hung, why.c_str());
      return as_said ? 0 : 1;
    });
    EXPECT_EQ(ends[0], 0);
    EXPECT_EQ(ends[1], 9);
  }
}

TEST(AllReduceTest, AWorkerThatNeverComesIsNamed) {
  const support::TempFolder folder;
  const uint16_t port = FreePort();
  const auto ends = RunRanks(2, [&](size_t rank) {  // of three
    const auto group = worker::ProcessGroup::Join(
        {rank, 3, {"127.0.0.1", port}, "127.0.0.1", std::chrono::milliseconds(1000)});
    if (group.ok()) return 1;
    std::ofstream(folder.path() / std::to_string(rank)) << group.error().Describe();
    return 0;
  });
  ASSERT_THAT(ends, Each(0));
  // Worker 1 may only see that worker 0 gave up.
  EXPECT_THAT(LinesOf(folder.path() / "0"),
              ElementsAre(HasSubstr("worker 2 has not come within 1 s")));
}

TEST(AllReduceTest, ATakenPortIsNamed) {
  const net::Listener taken = net::Listener::Bind({"127.0.0.1", 0}).value();
  const auto group = worker::ProcessGroup::Join({0, 2, {"127.0.0.1", taken.port()}, "127.0.0.1"});
  ASSERT_FALSE(group.ok());
  EXPECT_THAT(group.error().Describe(), HasSubstr(std::to_string(taken.port())));
}

TEST(FineTuningTest, OnlyTheLastLayersMove) {
  const support::TempFolder folder;
  core::TrainerJob job = SmallJob(1, 8);
  const auto base = FinalParameters(job, 1, folder.path());
  std::filesystem::rename(folder.path() / "model", folder.path() / "base");
  job.base_model = folder.path() / "base";
  job.fine_tune = 1;
  const auto tuned = FinalParameters(job, 1, folder.path());
  const train::Network network =
      train::BuildNetwork(job.network, job.knobs, train::kMnistShape, 10).value();
  size_t last = 0;
  for (const train::Layer& layer : network.layers) {
    if (layer.parameters() > 0) last = layer.parameters();
  }
  ASSERT_EQ(tuned.size(), base.size());
  const size_t frozen = base.size() - last;
  EXPECT_TRUE(
      std::equal(base.begin(), base.begin() + static_cast<ptrdiff_t>(frozen), tuned.begin()));
  EXPECT_GT(std::abs(base.back() - tuned.back()), 0);
}

}  // namespace
}  // namespace reckon::tests
