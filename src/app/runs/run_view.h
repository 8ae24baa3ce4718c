// A run as its events tell it: what status shows and what samples are made of.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "core/run.h"

namespace reckon::app {

// What one rank measured in one epoch: sums over its steps, in seconds and bytes.
struct EpochMeasures {
  int64_t steps = 0;
  double compute_s = 0;
  double push_s = 0;
  double update_s = 0;
  double pull_s = 0;
  double bytes_sent = 0;
  double bytes_received = 0;
  std::map<std::string, double> stages;   // seconds: "train_epoch"
  std::map<std::string, double> metrics;  // the last value: "accuracy"
  double accuracy_at = 0;                 // when it was told, seconds since 1970
};

struct RankUsage {
  double wall_s = 0;
  double cpu_s = 0;
  double peak_memory_bytes = 0;
  double bytes_sent = 0;
  double bytes_received = 0;
};

struct RankView {
  std::string role;
  int64_t index = 0;
  std::string host;
  int64_t pid = 0;
  std::string state = "waiting";  // waiting, running, or how it ended in words
  bool ended = false;
  bool ended_well = false;
  double done = 0;  // of its own progress
  double total = 0;
  std::string unit;
  std::optional<double> remaining_s;  // as it says itself
  std::optional<RankUsage> usage;
  std::map<int64_t, EpochMeasures> epochs;
  std::map<std::string, double> stages;   // outside of epochs, seconds
  std::map<std::string, double> metrics;  // outside of epochs, the last value
};

struct RunView {
  std::optional<core::RunState> state;  // none: nothing was told yet
  std::string reason;
  std::vector<RankView> ranks;
  std::optional<double> running_since;  // seconds since 1970
  std::optional<double> ended_at;

  // Images done of all images, over the workers that are not lost; total 0: unknown.
  struct Progress {
    double done = 0;
    double total = 0;
    std::string unit;
    std::optional<double> remaining_s;
  };
  Progress WorkersProgress(double now) const;
  // By epoch: accuracy, loss, and the slowest worker's time. Accuracy is that over all workers'
  // images, or of workers that do not go in step that of the last one.
  struct Epoch {
    int64_t epoch = 0;
    std::optional<double> accuracy;
    std::optional<double> loss;
    double train_s = 0;
    double validate_s = 0;
  };
  std::vector<Epoch> Epochs() const;

  void Add(const base::Json& event);
  RankView& Rank(const std::string& role, int64_t index);

 private:
  void AddSteps(const base::Json& event, RankView& rank);
  // For the rate: when progress was first told, and how far it was then.
  std::optional<double> first_told_at_;
  double first_told_ = 0;
};

}  // namespace reckon::app
