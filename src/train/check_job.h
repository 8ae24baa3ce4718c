// Whether a job of the built-in trainer can be carried out, found out before any worker starts.
#pragma once

#include "base/result.h"
#include "core/job.h"
#include "train/data/shards.h"
#include "train/nets/network.h"
#include "train/optimiser.h"

namespace reckon::train {

// What follows from a job that makes sense.
struct CheckedJob {
  Network network;
  ImageShape image;
  Dealing dealing;
  OptimiserOptions optimiser;
  size_t validation_images = 0;
  // An estimate of what the worker with the largest batch needs, data and all.
  uint64_t memory_bytes = 0;
  uint64_t servers_memory_bytes = 0;  // of all parameter servers together
};

// kBadInput and kNotFound name what is wrong: network, knob, data files (they are read), shard
// sizes, batches, optimizer, base model, checkpoint, strategy and what does not go with it. They
// are `about` the key of the job file: "trainer.network".
base::Result<CheckedJob> CheckJob(const core::TrainerJob& job, size_t workers);

base::Result<OptimiserOptions> ReadOptimiser(const core::TrainerOptimiser& given);

// How many images all workers have together, by one that has `own`. kBadInput: it should have
// others than those that it got.
base::Result<size_t> ImagesOfAll(const core::TrainerJob& job, size_t rank, size_t own);

// The parts that need no file: for workers, who read the data anyway.
base::Result<CheckedJob> CheckSettings(const core::TrainerJob& job, size_t workers, size_t images,
                                       size_t validation_images, const ImageShape& image,
                                       int classes);

}  // namespace reckon::train
