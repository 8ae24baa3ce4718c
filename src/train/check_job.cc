#include "train/check_job.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "base/text.h"
#include "train/data/training_data.h"
#include "train/going_on.h"
#include "train/memory_estimate.h"
#include "train/saved_model.h"

namespace reckon::train {
namespace {

// The error of a check, about a key of `trainer`.
base::Error BadKey(const std::string& key, std::string message) {
  return base::BadInput(std::move(message)).About("trainer." + key);
}

base::Status CheckStrategy(const core::TrainerJob& job) {
  const bool servers = job.strategy != core::Strategy::kAllReduce;
  if (servers && job.float64) {
    return BadKey("float64", fmt::format("float64 with {}; parameter servers keep 32-bit numbers",
                                         core::StrategyName(job.strategy)));
  }
  if (job.staleness && job.strategy != core::Strategy::kAsyncParameterServer) {
    return BadKey("staleness", fmt::format("staleness with {}; it goes with async-ps",
                                           core::StrategyName(job.strategy)));
  }
  if (servers && job.checkpoint_epochs) {
    return BadKey("checkpoint_every",
                  fmt::format("checkpoint_every epoch with {}, whose servers count steps; expected "
                              "a number of steps",
                              core::StrategyName(job.strategy)));
  }
  if (job.staleness && *job.staleness < 0) {
    return BadKey("staleness", fmt::format("staleness {}; expected 0 or more", *job.staleness));
  }
  return {};
}

base::Status CheckCountsOf(const core::TrainerJob& job) {
  if (job.epochs < 1 || job.epochs > 1'000'000) {
    return BadKey("epochs", fmt::format("epochs {}; expected 1 to 1000000", job.epochs));
  }
  if (!(job.patience_s > 0 && job.patience_s <= 86'400)) {
    return BadKey("patience", fmt::format("patience {} s; expected more than 0, at most a day",
                                          job.patience_s));
  }
  if (job.checkpoint_every < 0) {
    return BadKey("checkpoint_every",
                  fmt::format("checkpoint_every {}; expected 0 or more", job.checkpoint_every));
  }
  for (const auto& [key, list] :
       {std::pair("batch", &job.batches), std::pair("shards", &job.shards)}) {
    for (const int64_t count : *list) {
      if (count < 0) return BadKey(key, fmt::format("{} images; expected 1 or more", count));
    }
  }
  return {};
}

std::vector<size_t> AsSizes(const std::vector<int64_t>& counts) {
  return {counts.begin(), counts.end()};
}

}  // namespace

base::Result<OptimiserOptions> ReadOptimiser(const core::TrainerOptimiser& given) {
  OptimiserOptions options;
  RECKON_ASSIGN(options.kind, ParseOptimiser(given.name));
  const auto check = [](const char* name, double value, double most) -> base::Status {
    if (value >= 0 && value <= most) return {};
    return BadKey(name, fmt::format("{} {}; expected 0 to {}", name, value, most));
  };
  RECKON_TRY(check("rate", given.rate, 1000));
  RECKON_TRY(check("momentum", given.momentum, 1));
  RECKON_TRY(check("weight_decay", given.weight_decay, 1000));
  options.rate = given.rate;
  options.momentum = given.momentum;
  options.weight_decay = given.weight_decay;
  return options;
}

base::Result<CheckedJob> CheckSettings(const core::TrainerJob& job, size_t workers, size_t images,
                                       size_t validation_images, const ImageShape& image,
                                       int classes) {
  RECKON_TRY(CheckCountsOf(job));
  RECKON_TRY(CheckStrategy(job));
  RECKON_ASSIGN(Network network, BuildNetwork(job.network, job.knobs, image, classes));
  size_t with_parameters = 0;
  for (const Layer& layer : network.layers) with_parameters += layer.parameters() > 0 ? 1 : 0;
  if (job.fine_tune < 0 || static_cast<size_t>(job.fine_tune) > with_parameters) {
    return BadKey("fine_tune", fmt::format("fine_tune {}; {} has {} layers with parameters",
                                           job.fine_tune, job.network, with_parameters));
  }
  if (job.fine_tune > 0 && job.base_model.empty()) {
    return BadKey("fine_tune", "fine_tune without base_model: there is nothing to keep");
  }
  const std::vector<size_t> batches = AsSizes(job.batches);
  const std::vector<size_t> shards = AsSizes(job.shards);
  const size_t rows = images * static_cast<size_t>(job.data.replicate);
  if (rows > std::numeric_limits<uint32_t>::max()) {
    return BadKey("data.replicate",
                  fmt::format("{} images {} times over; expected at most {} in all", images,
                              job.data.replicate, std::numeric_limits<uint32_t>::max()));
  }
  RECKON_ASSIGN(Dealing dealing, Dealing::Make(rows, workers, shards, batches));
  RECKON_ASSIGN(const OptimiserOptions optimiser, ReadOptimiser(job.optimiser));
  const bool own_shards = !job.data.shards_of.empty() && !shards.empty();
  const size_t held = own_shards ? *std::max_element(shards.begin(), shards.end()) : images;
  const MemoryNeed need{held, validation_images, held * static_cast<size_t>(job.data.replicate),
                        *std::max_element(batches.begin(), batches.end()), workers};
  const uint64_t worker_memory = WorkerMemory(job, network, image, need);
  const uint64_t servers_memory = ServersMemory(job, network, need);
  return CheckedJob{std::move(network), image,         std::move(dealing), optimiser,
                    validation_images,  worker_memory, servers_memory};
}

base::Result<size_t> ImagesOfAll(const core::TrainerJob& job, size_t rank, size_t own) {
  if (job.data.shards_of.empty()) return own;
  const auto wanted = rank < job.shards.size() ? static_cast<size_t>(job.shards[rank]) : 0;
  if (own == wanted) return static_cast<size_t>(job.data.images);
  return BadKey("shards", fmt::format("the files of worker {} hold {}; its shard has {}", rank,
                                      base::Count(own, "image"), wanted));
}

base::Result<CheckedJob> CheckJob(const core::TrainerJob& job, size_t workers) {
  RECKON_ASSIGN(const DataFacts facts, DescribeData(job.data));
  size_t images = static_cast<size_t>(job.data.images);
  size_t validation_images = static_cast<size_t>(job.data.validation_images);
  ImageShape shape = facts.shape;
  TrainingData files;
  // Where everybody has a shard of his own the files are on other machines.
  const bool elsewhere = !job.data.shards_of.empty();
  if (job.data.source != "generated" && !elsewhere) {
    RECKON_ASSIGN(files, LoadData(job.data, job.seed));
    images = files.train.size();
    validation_images = files.validation.size();
    shape = files.train.shape;
  }
  RECKON_ASSIGN(CheckedJob checked,
                CheckSettings(job, workers, images, validation_images, shape, facts.classes));
  if (!job.base_model.empty() && !elsewhere) {
    const auto check = [&]() -> base::Status {
      RECKON_ASSIGN(const SavedModel model, ReadModel(job.base_model));
      return CheckFits(model, job, checked.network, job.base_model);
    };
    if (auto fits = check(); !fits.ok()) {
      return std::move(fits).error().About("trainer.base_model");
    }
  }
  if (!elsewhere && GoesOn(job)) {
    auto fits = ReadProgress(job, checked, CourseOf(job, checked, files.train));
    if (!fits.ok()) return std::move(fits).error().About("trainer.checkpoint");
  }
  return checked;
}

}  // namespace reckon::train
