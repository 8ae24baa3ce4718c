#include "train/going_on.h"

#include <filesystem>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/fingerprint.h"
#include "base/text.h"

namespace reckon::train {
namespace {

using base::Json;

// What is in the files counts, not where they lie.
std::string PrintOf(const ImageSet& images) {
  base::Fingerprint print;
  print.Add(
      std::string_view(reinterpret_cast<const char*>(images.pixels.data()), images.pixels.size()));
  print.Add(
      std::string_view(reinterpret_cast<const char*>(images.labels.data()), images.labels.size()));
  return print.Hex();
}

double DropoutOf(const Network& network) {
  for (const Layer& layer : network.layers) {
    if (layer.kind == Layer::Kind::kDropout) return layer.dropout;
  }
  return 0;
}

// Who shares the work out how: at the end of an epoch others may go on, for every image was seen.
bool IsOfTheCrew(const std::string& name) {
  return name == "workers" || name == "batch" || name == "shards";
}

base::Status CheckCourse(const SavedModel& checkpoint, const Json& course,
                         const std::string& file) {
  const Json& saved = checkpoint.course;
  if (!saved.is_object()) {
    return base::BadInput(fmt::format("{}: a trained model, not a checkpoint", file));
  }
  std::vector<std::string> differences;
  for (const auto& [name, value] : course.items()) {
    if (checkpoint.epochs && IsOfTheCrew(name)) continue;
    const std::string before = base::DumpJsonLine(saved.value(name, Json()));
    const std::string now = base::DumpJsonLine(value);
    if (before == now) continue;
    differences.push_back(fmt::format("{} {}, the job has {}", name, before, now));
  }
  if (differences.empty()) return {};
  return base::BadInput(
      fmt::format("{}: the checkpoint of another training: {}; remove it to begin anew", file,
                  base::Join(differences, "; ")));
}

// Before anything is handed to the optimisers of all workers.
bool StateFits(const SavedModel& checkpoint, const CheckedJob& checked, size_t fine_tune) {
  size_t trained = 0;
  for (size_t i = checked.network.FirstTrained(fine_tune); i < checked.network.layers.size(); ++i) {
    trained += checked.network.layers[i].parameters();
  }
  const bool adam = checked.optimiser.kind == OptimiserOptions::Kind::kAdam;
  const bool first = adam || checked.optimiser.momentum != 0;
  return SizeOf(checkpoint.first) == (first ? trained : 0) &&
         SizeOf(checkpoint.second) == (adam ? trained : 0);
}

}  // namespace

bool GoesOn(const core::TrainerJob& job) {
  if (job.strategy != core::Strategy::kAllReduce || job.checkpoint.empty()) return false;
  std::error_code unreadable;
  return std::filesystem::exists(job.checkpoint, unreadable) || unreadable;
}

Json CourseOf(const core::TrainerJob& job, const CheckedJob& checked, const ImageSet& train) {
  if (job.checkpoint.empty()) return {};
  Json course;
  course["workers"] = checked.dealing.workers();
  Json batches = Json::array();
  for (size_t i = 0; i < checked.dealing.workers(); ++i)
    batches.push_back(checked.dealing.Batch(i));
  course["batch"] = std::move(batches);
  course["shards"] = job.shards;
  course["shuffle"] = job.shuffle;
  course["seed"] = job.seed;
  course["source"] = job.data.source;
  if (job.data.source == "generated") {
    course["shape"] = job.data.shape;
    course["images"] = job.data.images;
  } else if (!job.data.shards_of.empty()) {
    course["images"] = checked.dealing.rows();
    course["train_files"] = job.data.shards_of;
  } else {
    course["images"] = train.size();
    course["train_files"] = PrintOf(train);
  }
  course["replicate"] = job.data.replicate;
  course["optimizer"] = job.optimiser.name;
  course["rate"] = job.optimiser.rate;
  course["momentum"] = job.optimiser.momentum;
  course["weight_decay"] = job.optimiser.weight_decay;
  course["dropout"] = DropoutOf(checked.network);
  course["base_model"] = std::filesystem::path(job.base_model).filename().string();
  course["fine_tune"] = job.fine_tune;
  return course;
}

base::Result<SavedModel> ReadProgress(const core::TrainerJob& job, const CheckedJob& checked,
                                      const Json& course) {
  RECKON_ASSIGN(SavedModel checkpoint, ReadModel(job.checkpoint));
  RECKON_TRY(CheckFits(checkpoint, job, checked.network, job.checkpoint));
  RECKON_TRY(CheckCourse(checkpoint, course, job.checkpoint));
  if (!StateFits(checkpoint, checked, static_cast<size_t>(job.fine_tune))) {
    return base::Corrupt(fmt::format("{}: not a whole optimiser", job.checkpoint));
  }
  // Another crew takes another number of steps for an epoch.
  if (checkpoint.epochs) checkpoint.steps = *checkpoint.epochs * checked.dealing.steps();
  const uint64_t steps = static_cast<uint64_t>(job.epochs) * checked.dealing.steps();
  if (checkpoint.steps > steps) {
    return base::BadInput(fmt::format("{}: the checkpoint of step {}; the job has {}",
                                      job.checkpoint, checkpoint.steps,
                                      base::Count(steps, "step")));
  }
  return checkpoint;
}

}  // namespace reckon::train
