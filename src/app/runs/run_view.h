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

// Sums over the steps that told of it; a rank need not tell of every part.
struct Measure {
  double sum = 0;
  int64_t steps = 0;

  std::optional<double> Mean() const;
  void Add(const Measure& other);
};

// What a rank measured in its steps, in seconds and bytes.
struct StepMeasures {
  int64_t steps = 0;
  Measure wait_s;
  Measure compute_s;
  Measure push_s;
  Measure update_s;
  Measure pull_s;
  Measure bytes_sent;
  Measure bytes_received;

  void Add(const StepMeasures& other);
};

// What one rank measured in one epoch.
struct EpochMeasures {
  StepMeasures steps;
  std::map<std::string, double> stages;   // seconds: "train_epoch"
  std::map<std::string, double> metrics;  // the last value: "accuracy"
  double accuracy_at = 0;                 // when it was told, seconds since 1970
};

// Of all lives of a rank: a server may be started again.
struct RankUsage {
  double wall_s = 0;
  double cpu_s = 0;
  double peak_memory_bytes = 0;
  double bytes_sent = 0;
  double bytes_received = 0;
  bool bytes_complete = true;  // no connection escaped the count
  double disk_read_bytes = 0;
  double disk_written_bytes = 0;
  // Of the last life.
  double cpu_p95_cores = 0;
  double memory_mean_bytes = 0;
  double memory_p95_bytes = 0;
  double sent_p95_bytes_s = 0;
  double received_p95_bytes_s = 0;
};

// Execution times that an app beside the training has told together.
struct Latencies {
  double at = 0;  // seconds since 1970
  std::vector<double> seconds;
  int64_t missed = 0;  // of their deadlines
  std::string of;      // where the process has several kinds of them
};

// What a host used: shares, rates, their means and 95th percentiles, by name ("cpu_p95").
struct HostUsage {
  std::map<std::string, double> before;    // with what runs beside the training, but without it
  std::map<std::string, double> training;  // while all workers were training
};

struct RankView {
  std::string role;
  int64_t index = 0;
  std::string host;
  std::string app;  // of a background process: what the job calls it
  int64_t pid = 0;
  std::string state = "waiting";  // waiting, running, or how it ended in words
  bool ended = false;
  bool ended_well = false;
  double done = 0;  // of its own progress
  double total = 0;
  std::string unit;
  std::optional<RankUsage> usage;
  std::map<int64_t, EpochMeasures> epochs;
  StepMeasures steps;                     // told without an epoch
  std::map<std::string, double> stages;   // outside of epochs, seconds
  std::map<std::string, double> metrics;  // outside of epochs, the last value
  std::vector<Latencies> latencies;
  // When it was training: its training_loop if it tells that, else from its first steps to its
  // last.
  std::optional<double> training_from;  // seconds since 1970
  std::optional<double> training_to;

  bool Lost() const { return ended && !ended_well; }
  // Seconds until its work is done, as it says itself or by its speed so far; none: unknown.
  std::optional<double> Remaining(double now) const;

  // For that speed: of progress in this life.
  double first_told_at = 0;  // seconds since 1970
  double last_told_at = 0;
  double first_done = 0;
  int64_t times_told = 0;
  std::optional<double> own_remaining_s;  // its own guess
  double guessed_at = 0;
  RankUsage earlier_lives;
};

struct RunView {
  std::optional<core::RunState> state;  // none: nothing was told yet
  std::string reason;
  std::string ending;  // why it was asked to end before its last epoch; empty: it was not
  std::vector<RankView> ranks;
  std::optional<double> running_since;  // seconds since 1970
  std::optional<double> ended_at;
  // Shares of the machine's processors while it ran: used by others, and given by the hypervisor to
  // other machines.
  std::optional<double> foreign;
  std::optional<double> steal;
  std::optional<double> pace_us;           // of the machine's memory, before and after
  std::map<std::string, HostUsage> nodes;  // by host
  // When everything beside the training had settled, and when the first rank was started then.
  std::optional<double> settled_at;
  std::optional<double> ranks_from;

  // Images done of all images, over the workers that are not lost; total 0: unknown. What remains
  // is what the slowest of them needs.
  struct Progress {
    double done = 0;
    double total = 0;
    std::string unit;
    std::optional<double> remaining_s;
  };
  Progress WorkersProgress(double now) const;
  // By name of the stage, outside of epochs: the slowest worker's seconds.
  std::map<std::string, double> SlowestStages() const;
  int64_t LostWorkers() const;
  // Of a training that went on from a checkpoint: steps that were done before; else 0.
  double BegunAtStep() const;
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
};

}  // namespace reckon::app
