// The images that a job trains and validates on.
#pragma once

#include "base/result.h"
#include "core/job.h"
#include "train/data/image_set.h"

namespace reckon::train {

struct TrainingData {
  ImageSet train;
  ImageSet validation;
};

// What can be told without reading or making an image.
struct DataFacts {
  ImageShape shape;
  int classes = 10;
};

// kBadInput: unknown source or shape, counts out of range, files missing from the list.
base::Result<DataFacts> DescribeData(const core::TrainerData& data);

// Reads or makes them; `rank` of the worker that they are for. kBadInput, kNotFound: what is wrong
// with which file.
base::Result<TrainingData> LoadData(const core::TrainerData& data, uint64_t seed, size_t rank = 0);

}  // namespace reckon::train
