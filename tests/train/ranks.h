// Ranks of a training as processes of their own, for tests: torch keeps its random generator and
// its threads once a process.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "core/job.h"
#include "train/saved_model.h"
#include "worker/training.h"

namespace reckon::tests {

// Remembers nothing; tests override what they look at.
class SilentListener : public worker::TrainingListener {
 public:
  void WentOnFrom(uint64_t) override {}
  void StageEnded(std::string_view, double, std::optional<size_t>) override {}
  void StepEnded(size_t, size_t, const worker::StepOutcome&) override {}
  void EpochEnded(size_t, std::optional<double>, double, size_t, bool) override {}
  bool ShouldEnd() override { return false; }
  void EndedAfter(size_t) override {}
  void Progressed(uint64_t, uint64_t) override {}
  void CheckpointFailed(const base::Error&) override {}
};

// Asks for a stop after so many steps.
class StopsAfter : public SilentListener {
 public:
  explicit StopsAfter(size_t steps) : left_(steps) {}
  void StepEnded(size_t, size_t, const worker::StepOutcome&) override {
    if (--left_ == 0) source.request_stop();
  }
  std::stop_source source;

 private:
  size_t left_;
};

// Wants the training to end with epoch `wanted` (0: with none), and remembers with which it did.
class EndsEarly : public SilentListener {
 public:
  explicit EndsEarly(size_t wanted) : wanted_(wanted) {}
  void StageEnded(std::string_view stage, double, std::optional<size_t> epoch) override {
    if (stage == "validate_epoch") validated_ = *epoch + 1;
  }
  bool ShouldEnd() override { return wanted_ > 0 && validated_ + 1 >= wanted_; }
  void EndedAfter(size_t epochs) override { ended_after = epochs; }
  size_t ended_after = 0;

 private:
  const size_t wanted_;
  size_t validated_ = 0;  // epochs
};

// Forks a process for each rank, which calls `work` and ends with its result; returns what they
// ended with (-signal when killed). Those that run longer than `limit` are killed.
std::vector<int> RunRanks(size_t count, const std::function<int(size_t)>& work,
                          std::chrono::seconds limit = std::chrono::seconds(120));

// A port that is free now.
uint16_t FreePort();

// Everything a rank needs, made as reckon-worker makes it.
class RankTraining {
 public:
  // All-reduce; the workers meet at `port`.
  RankTraining(const core::TrainerJob& job, size_t rank, size_t workers, uint16_t port,
               size_t bucket_bytes = worker::kBucketBytes);
  // Any strategy.
  RankTraining(const core::TrainerJob& job, const worker::RankEnvironment& environment,
               size_t bucket_bytes = worker::kBucketBytes);

  worker::Replica& replica() { return *replica_; }
  base::Status Run(worker::TrainingListener& listener, const std::stop_token& stop = {});

 private:
  core::TrainerJob job_;
  train::TrainingData data_;
  train::CheckedJob checked_;
  std::unique_ptr<worker::Replica> replica_;
  worker::Training training_;
  std::unique_ptr<worker::Exchange> exchange_;
};

// The parameters that a training with this many workers ends with.
std::vector<double> FinalParameters(core::TrainerJob job, size_t workers, const std::string& folder,
                                    size_t bucket_bytes = worker::kBucketBytes);

// A small job in float64 without dropout: 50 steps an epoch.
core::TrainerJob SmallJob(size_t workers, int64_t batch);

}  // namespace reckon::tests
