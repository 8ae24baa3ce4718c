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

// A part of the data: its values, and what they are called in a job.
struct DataPart {
  const std::vector<std::string>& files;
  int64_t images = 0;
  std::string files_key;
  std::string images_key;
};

DataPart TrainPart(const core::TrainerData& data) {
  return {data.train_files, data.images, "trainer.data.train_files", "trainer.data.images"};
}
DataPart ValidationPart(const core::TrainerData& data) {
  return {data.validation_files, data.validation_images, "trainer.data.validation_files",
          "trainer.data.validation_images"};
}

base::Result<ImageSet> ReadFiles(const std::string& source, const std::vector<std::string>& files) {
  if (source == "idx") return ReadIdx(files[0], files[1]);
  const std::vector<std::filesystem::path> paths(files.begin(), files.end());
  return ReadCifar10(paths);
}

std::vector<std::string> FilesOfRank(std::vector<std::string> files, size_t rank) {
  constexpr std::string_view kRank = "{rank}";
  for (std::string& file : files) {
    const size_t at = file.find(kRank);
    if (at != std::string::npos) file.replace(at, kRank.size(), std::to_string(rank));
  }
  return files;
}

// The first images of the files, at most so many as the job says; 0: all.
base::Result<ImageSet> ReadPart(const std::string& source, const DataPart& part) {
  base::Result<ImageSet> images = ReadFiles(source, part.files);
  if (!images.ok()) return std::move(images).error().About(part.files_key);
  const auto count = static_cast<size_t>(part.images);
  if (count == 0 || count >= images->size()) return images;
  images->labels.resize(count);
  images->pixels.resize(count * images->shape.pixels());
  return images;
}

base::Status CheckPart(const std::string& source, const DataPart& part) {
  const bool generated = source == "generated";
  if (part.images < (generated ? 1 : 0) || part.images > kMostImages) {
    return BadInput(fmt::format("{} images; expected {} to {}", part.images, generated ? 1 : 0,
                                kMostImages))
        .About(part.images_key);
  }
  if (source == "idx" && part.files.size() != 2) {
    return BadInput(fmt::format("{} of source idx; expected two, images and labels",
                                base::Count(part.files.size(), "file")))
        .About(part.files_key);
  }
  if (source == "cifar10" && part.files.empty()) {
    return BadInput("no file of source cifar10; expected at least one").About(part.files_key);
  }
  return {};
}

}  // namespace

base::Result<DataFacts> DescribeData(const core::TrainerData& data) {
  const std::vector<std::string> sources{"generated", "idx", "cifar10"};
  if (std::find(sources.begin(), sources.end(), data.source) == sources.end()) {
    return BadInput(fmt::format("unknown source of data '{}'{}", data.source,
                                base::SuggestFrom(data.source, sources)))
        .About("trainer.data.source");
  }
  RECKON_TRY(CheckPart(data.source, TrainPart(data)));
  RECKON_TRY(CheckPart(data.source, ValidationPart(data)));
  if (data.replicate < 1 || data.replicate > 1'000'000) {
    return BadInput(fmt::format("replicate {}; expected 1 to 1000000", data.replicate))
        .About("trainer.data.replicate");
  }
  if (!data.shards_of.empty() && (data.source == "generated" || data.replicate != 1)) {
    return BadInput("shards of one's own are files, each image of which counts once")
        .About("trainer.data.source");
  }
  if (data.source != "generated") {
    return DataFacts{data.source == "idx" ? kMnistShape : kCifarShape, 10};
  }
  const std::vector<std::string> shapes{"mnist", "cifar"};
  if (std::find(shapes.begin(), shapes.end(), data.shape) == shapes.end()) {
    return BadInput(fmt::format("unknown shape of images '{}'{}", data.shape,
                                base::SuggestFrom(data.shape, shapes)))
        .About("trainer.data.shape");
  }
  return DataFacts{data.shape == "mnist" ? kMnistShape : kCifarShape, 10};
}

base::Result<TrainingData> LoadData(const core::TrainerData& given, uint64_t seed, size_t rank) {
  RECKON_ASSIGN(const DataFacts facts, DescribeData(given));
  core::TrainerData data = given;
  if (!data.shards_of.empty()) {
    data.train_files = FilesOfRank(std::move(data.train_files), rank);
    data.images = 0;  // those of the file: it is the shard
  }
  TrainingData loaded;
  if (data.source == "generated") {
    loaded.train = GenerateImages(facts.shape, seed, {0, static_cast<size_t>(data.images)});
    loaded.validation = GenerateImages(
        facts.shape, seed, {kFirstValidationImage, static_cast<size_t>(data.validation_images)});
    return loaded;
  }
  RECKON_ASSIGN(loaded.train, ReadPart(data.source, TrainPart(data)));
  RECKON_ASSIGN(loaded.validation, ReadPart(data.source, ValidationPart(data)));
  if (loaded.train.shape != loaded.validation.shape) {
    return BadInput(fmt::format("{} and {}: images of different sizes", data.train_files[0],
                                data.validation_files[0]))
        .About("trainer.data.validation_files");
  }
  return loaded;
}

}  // namespace reckon::train
