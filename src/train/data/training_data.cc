#include "train/data/training_data.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "base/text.h"
#include "train/data/generated_images.h"
#include "train/data/image_files.h"

namespace reckon::train {
namespace {

using base::BadInput;

constexpr int64_t kMostImages = int64_t{1} << 31;

base::Result<ImageSet> ReadFiles(const core::TrainerData& data,
                                 const std::vector<std::string>& files) {
  if (data.source == "idx") return ReadIdx(files[0], files[1]);
  const std::vector<std::filesystem::path> paths(files.begin(), files.end());
  return ReadCifar10(paths);
}

// The first `most` images; 0: all.
base::Result<ImageSet> FirstOf(ImageSet images, int64_t most, const std::string& file) {
  const auto count = static_cast<size_t>(most);
  if (count == 0) return images;
  if (count > images.size()) {
    return BadInput(fmt::format("{}: {} images; {} were asked for", file, images.size(), count));
  }
  images.labels.resize(count);
  images.pixels.resize(count * images.shape.pixels());
  return images;
}

base::Status CheckFiles(const core::TrainerData& data, const std::vector<std::string>& files,
                        const char* what) {
  if (data.source == "idx" && files.size() != 2) {
    return BadInput(fmt::format("{}: {} of source idx; expected two, images and labels", what,
                                base::Count(files.size(), "file")));
  }
  if (data.source == "cifar10" && files.empty()) {
    return BadInput(fmt::format("{}: no file of source cifar10; expected at least one", what));
  }
  return {};
}

}  // namespace

base::Result<DataFacts> DescribeData(const core::TrainerData& data) {
  const std::vector<std::string> sources{"generated", "idx", "cifar10"};
  if (std::find(sources.begin(), sources.end(), data.source) == sources.end()) {
    return BadInput(fmt::format("unknown source of data '{}'{}", data.source,
                                base::SuggestFrom(data.source, sources)));
  }
  const bool generated = data.source == "generated";
  for (const int64_t count : {data.images, data.validation_images}) {
    if (count < (generated ? 1 : 0) || count > kMostImages) {
      return BadInput(
          fmt::format("{} images; expected {} to {}", count, generated ? 1 : 0, kMostImages));
    }
  }
  if (data.replicate < 1 || data.replicate > 1'000'000) {
    return BadInput(fmt::format("replicate {}; expected 1 to 1000000", data.replicate));
  }
  if (!generated) {
    RECKON_TRY(CheckFiles(data, data.train_files, "train_files"));
    RECKON_TRY(CheckFiles(data, data.validation_files, "validation_files"));
    return DataFacts{data.source == "idx" ? kMnistShape : kCifarShape, 10};
  }
  const std::vector<std::string> shapes{"mnist", "cifar"};
  if (std::find(shapes.begin(), shapes.end(), data.shape) == shapes.end()) {
    return BadInput(fmt::format("unknown shape of images '{}'{}", data.shape,
                                base::SuggestFrom(data.shape, shapes)));
  }
  return DataFacts{data.shape == "mnist" ? kMnistShape : kCifarShape, 10};
}

base::Result<TrainingData> LoadData(const core::TrainerData& data, uint64_t seed) {
  RECKON_ASSIGN(const DataFacts facts, DescribeData(data));
  TrainingData loaded;
  if (data.source == "generated") {
    loaded.train = GenerateImages(facts.shape, seed, {0, static_cast<size_t>(data.images)});
    loaded.validation = GenerateImages(
        facts.shape, seed, {kFirstValidationImage, static_cast<size_t>(data.validation_images)});
    return loaded;
  }
  RECKON_ASSIGN(ImageSet train, ReadFiles(data, data.train_files));
  RECKON_ASSIGN(loaded.train, FirstOf(std::move(train), data.images, data.train_files[0]));
  RECKON_ASSIGN(ImageSet validation, ReadFiles(data, data.validation_files));
  RECKON_ASSIGN(loaded.validation,
                FirstOf(std::move(validation), data.validation_images, data.validation_files[0]));
  if (loaded.train.shape != loaded.validation.shape) {
    return BadInput(fmt::format("{} and {}: images of different sizes", data.train_files[0],
                                data.validation_files[0]));
  }
  return loaded;
}

}  // namespace reckon::train
