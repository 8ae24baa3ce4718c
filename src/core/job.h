// Job and Shape: what is trained, and where.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace reckon::core {

enum class Strategy { kAllReduce, kAsyncParameterServer, kSyncParameterServer };

const char* StrategyName(Strategy strategy);
std::optional<Strategy> ParseStrategy(std::string_view name);
std::vector<std::string> StrategyNames();

// Which labelled images the built-in trainer reads or makes.
struct TrainerData {
  std::string source = "generated";  // "generated", "idx" (MNIST and its kin) or "cifar10"
  std::string shape = "mnist";       // of generated images: "mnist" (1x28x28) or "cifar" (3x32x32)
  // "idx": images and labels; "cifar10": one or more batches.
  std::vector<std::string> train_files;
  std::vector<std::string> validation_files;
  int64_t images = 6000;  // of files: at most so many; 0: all
  int64_t validation_images = 1000;
  int64_t replicate = 1;  // the training images so many times over
  // Of a worker that has the images of its own shard alone: the print of all of them together, by
  // which one knows whether others train on the same. In names of files "{rank}" stands for the
  // worker's number, and `images` are those of all shards. Empty: every worker has all images.
  std::string shards_of;
};

struct TrainerOptimiser {
  std::string name = "sgd";  // "sgd" or "adam"
  double rate = 0.05;
  double momentum = 0;
  double weight_decay = 0;
};

// A training of one of the built-in networks. What its words may be: docs/job-file.md.
struct TrainerJob {
  std::string network = "lenet5";
  std::map<std::string, std::string> knobs;
  TrainerData data;
  int64_t epochs = 1;
  std::vector<int64_t> batches{64};  // images a step and worker: one for all, or one a worker
  // Images of each worker, in the order of the data. Empty: every epoch deals all images out, so
  // that n workers see in a step what one with the n-fold batch would see.
  std::vector<int64_t> shards;
  bool shuffle = true;
  uint64_t seed = 1;
  bool float64 = false;
  TrainerOptimiser optimiser;
  Strategy strategy = Strategy::kAllReduce;
  std::optional<int64_t> staleness;  // async: steps that a worker may be ahead of the slowest
  std::string base_model;            // a model file to begin with
  int64_t fine_tune = 0;             // layers, from the last, that are trained; 0: all
  std::string save;                  // where the trained model goes; empty: nowhere
  // Steps between checkpoints; 0: none. A run with a checkpoint goes on from it.
  int64_t checkpoint_every = 0;
  bool checkpoint_epochs = false;  // one after every epoch; those other crews can go on from too
  std::string checkpoint;
  double patience_s = 30;  // how long a peer may stand still
};

// The user's own program, in the style of SkyPilot: shell scripts.
struct CommandJob {
  std::string setup;
  std::string run;
};

// Load that is held on a host: shares (0 to 1) of its processors and of its memory, and what is
// written to its disk. 0: none.
struct StressLevels {
  double cpu = 0;
  double memory = 0;
  double disk_bytes_s = 0;
  double gpu = 0;

  bool Any() const { return cpu > 0 || memory > 0 || disk_bytes_s > 0 || gpu > 0; }
};

// What runs beside the training on its hosts: load at chosen levels, or an app of the user's; one
// of the two.
struct BackgroundLoad {
  std::string name;
  std::optional<StressLevels> stress;
  std::string run;  // shell script
  // On which hosts: "workers", "servers", "all", or their names.
  std::vector<std::string> on{"workers"};
  std::optional<double> deadline_s;  // before dilation; an app that has one reports its latencies
  double settle_s = 30;              // until it reports; without reports, until the training starts
};

// When a training may end before its last epoch, judged by the accuracies of its validations.
struct EarlyStop {
  std::optional<double> accuracy;  // no more is needed; without one: while going on promises more
  double least_gain = 0.005;       // of accuracy, that the rest must promise
  double confidence = 0.95;        // that it will not keep that promise
  int64_t epochs = 0;              // that were asked for
};

// What is trained: by the built-in trainer, or by the user's command; one of the two.
struct Job {
  std::string name;
  std::optional<TrainerJob> trainer;
  std::optional<CommandJob> command;
  std::string workdir;
  std::map<std::string, std::string> envs;
  int64_t workers = 1;
  int64_t servers = 0;
  std::optional<double> cpus_per_worker;  // not said: those of a lab's host, 1 on this machine
  std::optional<double> time_limit_s;
  std::optional<EarlyStop> early_stop;
  int64_t priority = 0;          // in a manager's queue: higher ones go first
  std::optional<double> budget;  // dollars, for all attempts, where nodes have prices
  std::vector<BackgroundLoad> background;
  // Of a command: what is known of it before it starts (how much it computes, ...), as columns of
  // its samples, and a shell script that prints more of the kind. The built-in trainer knows
  // itself.
  std::map<std::string, double> known;
  std::string describe;
};

// Where it is trained.
struct Shape {
  std::string engine;        // "local", "slurm", ...
  std::string machine_type;  // a name of the catalogue
  int64_t workers = 1;
  double cpus_per_worker = 1;
  int64_t parameter_servers = 0;
  Strategy strategy = Strategy::kAllReduce;
};

}  // namespace reckon::core
