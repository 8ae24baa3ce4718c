#include "worker/training.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "train/going_on.h"
#include "train/memory_estimate.h"
#include "worker/stopwatch.h"

namespace reckon::worker {
namespace {

// One worker's way through its epochs.
class Loop {
 public:
  Loop(const Training& training, Replica& replica, Exchange& exchange, TrainingListener& listener,
       const std::stop_token& stop)
      : training_(training),
        job_(training.job),
        dealing_(training.checked.dealing),
        replica_(replica),
        exchange_(exchange),
        listener_(listener),
        stop_(stop),
        total_(static_cast<uint64_t>(training.job.epochs) *
               training.checked.dealing.Size(training.rank)) {}

  base::Status Run() {
    RECKON_ASSIGN(step_, exchange_.Begin());
    if (!exchange_.together()) step_ = dealing_.StepAfter(training_.rank, step_);
    Stopwatch loop;
    const size_t steps = dealing_.steps();
    if (step_ > 0) listener_.WentOnFrom(step_);
    // A checkpoint of an epoch's last step is older than the epoch's validation.
    if (step_ > 0 && step_ % steps == 0) RECKON_TRY(Validate(step_ / steps - 1));
    for (size_t epoch = step_ / steps; epoch < static_cast<size_t>(job_.epochs); ++epoch) {
      RECKON_TRY(TrainEpoch(epoch, step_ - epoch * steps));
      RECKON_TRY(Validate(epoch));
      if (!ending_ || epoch + 1 == static_cast<size_t>(job_.epochs)) continue;
      listener_.EndedAfter(epoch + 1);
      break;
    }
    listener_.StageEnded("training_loop", loop.Elapsed(), std::nullopt);
    RECKON_TRY(exchange_.Finish());
    return SaveModel();
  }

 private:
  base::Status TrainEpoch(size_t epoch, size_t first) {
    Stopwatch watch;
    std::vector<uint32_t> order = dealing_.Order(training_.rank, epoch, job_.seed, job_.shuffle);
    size_t done = 0;  // before the first step, of an epoch that was interrupted
    for (size_t step = 0; step < first; ++step) done += dealing_.At(training_.rank, step);
    order.erase(order.begin(), order.begin() + static_cast<ptrdiff_t>(done));
    if (!job_.data.shards_of.empty()) {
      const auto begin = static_cast<uint32_t>(dealing_.Begin(training_.rank));
      for (uint32_t& row : order) row -= begin;
    }
    train::Prefetcher batches(training_.data.train, std::move(order),
                              dealing_.Batch(training_.rank));
    loss_ = 0;
    seen_ = 0;
    for (size_t step = first; step < dealing_.steps(); ++step, ++step_) {
      if (stop_.stop_requested()) {
        return base::Error(base::ErrorCode::kInterrupted, "stopped before the end");
      }
      const size_t own = dealing_.At(training_.rank, step);
      if (own == 0 && !exchange_.together()) continue;
      RECKON_TRY(TrainStep(epoch, step, own, batches));
      done += own;
      listener_.Progressed(epoch * dealing_.Size(training_.rank) + done, total_);
      SaveCheckpoint();
    }
    listener_.StageEnded("train_epoch", watch.Elapsed(), epoch);
    if (!exchange_.together()) ending_ = listener_.ShouldEnd();
    return {};
  }

  base::Status TrainStep(size_t epoch, size_t step, size_t own, train::Prefetcher& batches) {
    Stopwatch watch;
    std::optional<train::Batch> batch;
    if (own > 0) {
      RECKON_ASSIGN(batch, batches.Next());
    }
    RECKON_CHECK(own == (batch ? batch->size() : 0));
    const double waited = watch.Elapsed();
    StepPart part{batch ? &*batch : nullptr, dealing_.TotalAt(step), step_};
    part.last = step + 1 == dealing_.steps();
    part.wants_end = part.last && listener_.ShouldEnd();
    RECKON_ASSIGN(StepOutcome outcome, exchange_.Step(part));
    ending_ |= outcome.ends;
    outcome.wait_s = waited;
    loss_ += outcome.loss * static_cast<double>(own);
    seen_ += own;
    listener_.StepEnded(epoch, step_, outcome);
    return {};
  }

  // Workers that go in step have the same parameters, and each validates on its part of the images.
  base::Status Validate(size_t epoch) {
    Stopwatch watch;
    const size_t images = training_.data.validation.size();
    const bool alone = !exchange_.together();
    const size_t first = alone ? 0 : training_.rank;
    const size_t stride = alone ? 1 : dealing_.workers();
    std::vector<uint32_t> own;
    for (size_t row = first; row < images; row += stride) {
      own.push_back(static_cast<uint32_t>(row));
    }
    const size_t count = own.size();
    size_t correct = 0;
    if (count > 0) {
      train::Prefetcher batches(training_.data.validation, std::move(own), train::kValidationBatch);
      while (true) {
        RECKON_ASSIGN(const auto batch, batches.Next());
        if (!batch) break;
        RECKON_ASSIGN(const size_t right, replica_.CountCorrect(*batch));
        correct += right;
        exchange_.Alive();
      }
    }
    listener_.StageEnded("validate_epoch", watch.Elapsed(), epoch);
    std::optional<double> loss;
    if (seen_ > 0) loss = loss_ / static_cast<double>(seen_);
    listener_.EpochEnded(epoch, loss,
                         count == 0 ? 0 : static_cast<double>(correct) / static_cast<double>(count),
                         count, alone);
    return {};
  }

  train::SavedModel Saved(uint64_t steps) const {
    train::SavedModel model = exchange_.Save(steps);
    model.network = job_.network;
    model.knobs = job_.knobs;
    model.course = training_.course;
    if (steps % dealing_.steps() == 0) model.epochs = steps / dealing_.steps();
    return model;
  }

  // Parameter servers keep checkpoints of their own. A training is worth more than a checkpoint of
  // it: it goes on without one that cannot be written, and the last one stays.
  void SaveCheckpoint() const {
    const bool ours = job_.strategy == core::Strategy::kAllReduce && training_.rank == 0;
    const auto every = static_cast<uint64_t>(job_.checkpoint_every);
    const bool after_epoch = (step_ + 1) % dealing_.steps() == 0;
    const bool due =
        (every > 0 && (step_ + 1) % every == 0) || (job_.checkpoint_epochs && after_epoch);
    if (!ours || job_.checkpoint.empty() || !due) return;
    const base::Status written = train::WriteModel(job_.checkpoint, Saved(step_ + 1));
    if (!written.ok()) listener_.CheckpointFailed(written.error());
  }

  base::Status SaveModel() const {
    // Asynchronous workers end one after the other; the last one's model has everybody's steps, up
    // to those of one that ends at the same moment.
    const bool ours = training_.rank == 0 || job_.strategy == core::Strategy::kAsyncParameterServer;
    if (!ours || job_.save.empty()) return {};
    return train::WriteModel(job_.save, Saved(step_));
  }

  const Training& training_;
  const core::TrainerJob& job_;
  const train::Dealing& dealing_;
  Replica& replica_;
  Exchange& exchange_;
  TrainingListener& listener_;
  const std::stop_token stop_;
  const uint64_t total_;  // images of this worker
  uint64_t step_ = 0;     // since the beginning of the training
  bool ending_ = false;   // this epoch is the last, as all agree that go together
  double loss_ = 0;       // summed over the images of this epoch
  size_t seen_ = 0;
};

}  // namespace

void CopyParameters(const train::SavedModel& model, Reals to) {
  std::visit(
      [&]<typename Real>(const std::vector<Real>& from) {
        std::copy(from.begin(), from.end(), to.As<Real>().begin());
      },
      model.parameters);
}

base::Status RunTraining(const Training& training, Replica& replica, Exchange& exchange,
                         TrainingListener& listener, const std::stop_token& stop) {
  return Loop(training, replica, exchange, listener, stop).Run();
}

base::Result<std::optional<train::SavedModel>> LoadBeginning(const Training& training,
                                                             Replica& replica) {
  const core::TrainerJob& job = training.job;
  std::optional<train::SavedModel> checkpoint;
  if (train::GoesOn(job)) {
    RECKON_ASSIGN(checkpoint, train::ReadProgress(job, training.checked, training.course));
    CopyParameters(*checkpoint, replica.parameters());
  } else if (!job.base_model.empty()) {
    RECKON_ASSIGN(const train::SavedModel model, train::ReadModel(job.base_model));
    RECKON_TRY(train::CheckFits(model, job, training.checked.network, job.base_model));
    CopyParameters(model, replica.parameters());
  }
  return checkpoint;
}

}  // namespace reckon::worker
