#include "train/data/image_files.h"

#include <gmock/gmock.h>

#include "base/file.h"
#include "tests/support/temp_folder.h"
#include "train/data/training_data.h"

namespace reckon::train {
namespace {

using ::testing::HasSubstr;

std::string BigEndian(uint32_t value) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) {
    bytes += static_cast<char>(static_cast<uint8_t>(value >> shift));
  }
  return bytes;
}

std::string IdxImages(uint32_t count, uint32_t rows, uint32_t columns) {
  std::string text = BigEndian(0x803) + BigEndian(count) + BigEndian(rows) + BigEndian(columns);
  for (uint32_t i = 0; i < count * rows * columns; ++i) text += static_cast<char>(i % 251);
  return text;
}

std::string IdxLabels(uint32_t count) {
  std::string text = BigEndian(0x801) + BigEndian(count);
  for (uint32_t i = 0; i < count; ++i) text += static_cast<char>(i % 10);
  return text;
}

class ImageFilesTest : public ::testing::Test {
 protected:
  std::filesystem::path Write(const std::string& name, const std::string& bytes) {
    const std::filesystem::path path = folder_.path() / name;
    EXPECT_TRUE(base::WriteFile(path, bytes).ok());
    return path;
  }

  std::string IdxProblem(const std::string& images, const std::string& labels) {
    const auto set = ReadIdx(Write("images", images), Write("labels", labels));
    if (set.ok()) return "";
    EXPECT_EQ(set.error().code(), base::ErrorCode::kBadInput);
    return set.error().Describe();
  }

  support::TempFolder folder_;
};

TEST_F(ImageFilesTest, IdxFilesAreRead) {
  const ImageSet set =
      ReadIdx(Write("images", IdxImages(12, 5, 4)), Write("labels", IdxLabels(12))).value();
  EXPECT_EQ(set.size(), 12);
  EXPECT_EQ(set.shape, (ImageShape{1, 5, 4}));
  EXPECT_EQ(set.labels[11], 1);
  EXPECT_EQ(set.Image(0)[19], 19);
  EXPECT_EQ(set.Image(1)[0], 20);
}

TEST_F(ImageFilesTest, BrokenIdxFilesSayWhatIsWrong) {
  const std::string images = IdxImages(3, 4, 4);
  const std::string labels = IdxLabels(3);
  EXPECT_EQ(IdxProblem(images, labels), "");
  EXPECT_THAT(IdxProblem(labels, images), HasSubstr("magic 0x00000801; expected 0x00000803"));
  EXPECT_THAT(IdxProblem(images.substr(0, 40), labels), HasSubstr("cut off?"));
  EXPECT_THAT(IdxProblem(images + "x", labels), HasSubstr("49 bytes after the header"));
  EXPECT_THAT(IdxProblem(images.substr(0, 7), labels), HasSubstr("header of 16"));
  EXPECT_THAT(IdxProblem(images, IdxLabels(4)), HasSubstr("4 labels for the 3 images"));
  EXPECT_THAT(IdxProblem("\x1f\x8b\x08", labels), HasSubstr("gunzip"));
  EXPECT_THAT(IdxProblem(BigEndian(0x803) + BigEndian(UINT32_MAX) + BigEndian(UINT32_MAX) +
                             BigEndian(UINT32_MAX),
                         labels),
              HasSubstr("dimension 2"));
  std::string high = labels;
  high.back() = 10;
  EXPECT_THAT(IdxProblem(images, high), HasSubstr("label 10 of image 3; expected 0..9"));
  EXPECT_FALSE(ReadIdx(folder_.path() / "nowhere", folder_.path() / "nowhere").ok());
}

TEST_F(ImageFilesTest, CifarFilesAreReadOneAfterTheOther) {
  const auto record = [](char label) { return std::string(1, label) + std::string(3072, label); };
  const std::vector<std::filesystem::path> files{Write("a", record(1) + record(9)),
                                                 Write("b", record(4))};
  const ImageSet set = ReadCifar10(files).value();
  EXPECT_EQ(set.shape, kCifarShape);
  EXPECT_THAT(set.labels, ::testing::ElementsAre(1, 9, 4));
  EXPECT_EQ(set.Image(2)[3071], 4);
  const auto problem = [&](const std::string& bytes) {
    const std::vector<std::filesystem::path> broken{Write("c", bytes)};
    return ReadCifar10(broken).error().Describe();
  };
  EXPECT_THAT(problem(record(1).substr(1)), HasSubstr("3072 bytes; expected records of 3073"));
  EXPECT_THAT(problem(record(1) + record(12)), HasSubstr("label 12 of image 2"));
  EXPECT_THAT(problem(""), HasSubstr("0 bytes"));
  EXPECT_FALSE(ReadCifar10({}).ok());
}

TEST_F(ImageFilesTest, AtMostSoManyAreTaken) {
  core::TrainerData data;
  data.source = "idx";
  data.train_files = {Write("images", IdxImages(12, 5, 4)), Write("labels", IdxLabels(12))};
  data.validation_files = data.train_files;
  data.images = 5;
  data.validation_images = 13;
  const TrainingData taken = LoadData(data, 1).value();
  EXPECT_EQ(taken.train.size(), 5);
  EXPECT_EQ(taken.train.pixels.size(), 100);
  EXPECT_EQ(taken.validation.size(), 12);
}

}  // namespace
}  // namespace reckon::train
