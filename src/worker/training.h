// The training loop of one worker.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <stop_token>
#include <string_view>

#include "base/result.h"
#include "core/job.h"
#include "train/check_job.h"
#include "train/data/training_data.h"
#include "worker/exchange.h"
#include "worker/replica.h"

namespace reckon::worker {

// Hears how a training goes. The names of stages are those of Ray's trainer: train, fit,
// training_loop, train_epoch, validate_epoch; each holds the next ones.
class TrainingListener {
 public:
  virtual ~TrainingListener() = default;
  // The training goes on after so many steps, more than 0: of all workers, or of this one when they
  // do not go together.
  virtual void WentOnFrom(uint64_t step) = 0;
  virtual void StageEnded(std::string_view stage, double seconds, std::optional<size_t> epoch) = 0;
  // `step`: of the whole training, from 0.
  virtual void StepEnded(size_t epoch, size_t step, const StepOutcome& outcome) = 0;
  // No loss when the epoch was trained before the training went on. `alone`: on all validation
  // images and without the others, who may be elsewhere by now; otherwise on this worker's part of
  // them.
  virtual void EpochEnded(size_t epoch, std::optional<double> loss, double accuracy,
                          size_t validated, bool alone) = 0;
  // Whether this worker has heard that the training shall end after this epoch.
  virtual bool ShouldEnd() = 0;
  // It did: after so many epochs in all.
  virtual void EndedAfter(size_t epochs) = 0;
  virtual void Progressed(uint64_t images, uint64_t total) = 0;
  // A checkpoint could not be written; the training goes on.
  virtual void CheckpointFailed(const base::Error& error) = 0;
};

struct Training {
  const core::TrainerJob& job;
  const train::CheckedJob& checked;
  const train::TrainingData& data;
  size_t rank = 0;
  base::Json course;  // train::CourseOf
};

// Trains `replica` from wherever the exchange says that it is, epoch after epoch, and writes
// checkpoints and the model as the job wants it. Ends after an epoch in which the listener said so:
// workers in step all after the same one. kInterrupted on `stop`.
base::Status RunTraining(const Training& training, Replica& replica, Exchange& exchange,
                         TrainingListener& listener, const std::stop_token& stop);

// `to` has as many of the same precision.
void CopyParameters(const train::SavedModel& model, Reals to);

// What the replica begins with: the checkpoint, the base model, or its own first parameters.
// Returns the checkpoint when there is one.
base::Result<std::optional<train::SavedModel>> LoadBeginning(const Training& training,
                                                             Replica& replica);

}  // namespace reckon::worker
