// Trainings by all-reduce that go on from a checkpoint: only as the same training. (Parameter
// servers keep checkpoints of their own: train/ps/checkpoint.h.)
#pragma once

#include "base/json.h"
#include "base/result.h"
#include "core/job.h"
#include "train/check_job.h"
#include "train/data/image_set.h"
#include "train/saved_model.h"

namespace reckon::train {

// Whether the job has a checkpoint that it goes on from; also when that cannot be told: then
// reading it says what is wrong.
bool GoesOn(const core::TrainerJob& job);

// What decides the course of a training beside its network, by the names of the job file: with all
// of it the same, one that goes on ends where it would have ended. Not the epochs: it may go on for
// longer. Null when the job has no checkpoint. `train` is looked at when it comes from files.
base::Json CourseOf(const core::TrainerJob& job, const CheckedJob& checked, const ImageSet& train);

// The checkpoint of a job that goes on, with its steps as this job counts them: at the end of an
// epoch other workers, batches and shards may go on than those that wrote it. kBadInput names what
// differs between the training that wrote it and this one; kCorrupt: damaged.
base::Result<SavedModel> ReadProgress(const core::TrainerJob& job, const CheckedJob& checked,
                                      const base::Json& course);

}  // namespace reckon::train
