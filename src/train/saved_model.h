// Trained networks and the state of an interrupted training, as files (train/array_file.h).
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "base/result.h"
#include "core/job.h"
#include "train/array_file.h"
#include "train/nets/network.h"

namespace reckon::train {

// Numbers of either precision: float32 or float64, as the job had them.
using Numbers = std::variant<std::vector<float>, std::vector<double>>;

struct SavedModel {
  std::string network;
  std::map<std::string, std::string> knobs;
  Numbers parameters;  // all of the network's
  // Of a training that goes on: steps behind it, and the optimiser's state (may be empty).
  uint64_t steps = 0;
  std::optional<uint64_t> epochs;  // when they are just so many whole ones
  uint64_t optimiser_steps = 0;
  Numbers first;
  Numbers second;
  // An object: what decided the course of that training (train/going_on.h); null: not told.
  base::Json course;
};

size_t SizeOf(const Numbers& numbers);

base::Status WriteModel(const std::filesystem::path& path, const SavedModel& model);
// kCorrupt: not a model of ours, or damaged. kNotFound: there is none.
base::Result<SavedModel> ReadModel(const std::filesystem::path& path);
// The same of a file's text; `source` names it in messages.
base::Result<SavedModel> ModelFromText(std::string_view text, const std::string& source);

// kBadInput: the model is of another network, other knobs (but for dropout) or another precision.
// `file` for the message.
base::Status CheckFits(const SavedModel& model, const core::TrainerJob& job, const Network& network,
                       const std::string& file);

}  // namespace reckon::train
