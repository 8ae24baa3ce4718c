// Every network that a job can ask for, and every source of data, through torch.
#include <cmath>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "base/file.h"
#include "tests/support/temp_folder.h"
#include "tests/train/ranks.h"
#include "train/data/generated_images.h"

namespace reckon::tests {
namespace {

using ::testing::Each;

using Knobs = std::map<std::string, std::string>;

// All values of the knobs of lenet5 in the table of the paper on generic performance models.
std::vector<Knobs> AllKnobs() {
  const std::vector<std::pair<std::string, std::vector<std::string>>> table{
      {"kernel", {"2", "3", "4", "5"}},
      {"pool", {"2", "3", "4", "5"}},
      {"activation", {"relu", "tanh", "sigmoid"}},
      {"filters", {"4", "8", "16", "32", "64"}},
      {"padding", {"valid", "same"}},
      {"stride", {"1", "2", "3"}},
      {"dropout", {"0.2", "0.5", "0.8"}},
  };
  std::vector<Knobs> all{{}};
  for (const auto& [name, values] : table) {
    std::vector<Knobs> longer;
    for (const Knobs& knobs : all) {
      for (const std::string& value : values) {
        longer.push_back(knobs);
        longer.back()[name] = value;
      }
    }
    all = std::move(longer);
  }
  return all;
}

// A few steps down the gradient, with what dropout drops the same in all of them, must lead down.
// The replica itself checks the shape of what every layer gives.
bool LearnsABatch(const Knobs& knobs, const train::ImageSet& images) {
  const train::Network network = train::BuildNetwork("lenet5", knobs, images.shape, 10).value();
  const auto replica = worker::Replica::Make(network, images.shape, {}).value();
  train::Prefetcher batches(images, {0, 1}, 2);
  const train::Batch batch = batches.Next().value().value();
  const auto loss = [&] { return replica->Backward(batch, 1, 0, nullptr).value(); };
  const double before = loss();
  double after = before;
  for (int step = 0; step < 2; ++step) {
    const auto gradients = replica->gradients().As<float>();
    const auto parameters = replica->trained().As<float>();
    for (size_t i = 0; i < parameters.size(); ++i) parameters[i] -= 0.003F * gradients[i];
    after = loss();
  }
  if (std::isfinite(before) && before > 0 && after < before) return true;
  std::string text;
  for (const auto& [name, value] : knobs) text += fmt::format(" {} {}", name, value);
  std::fprintf(stderr, "loss %.9f, then %.9f:%s\n", before, after, text.c_str());
  return false;
}

TEST(NetworksTest, EveryCombinationOfKnobsLearns) {
  const std::vector<Knobs> all = AllKnobs();
  ASSERT_EQ(all.size(), 4320);
  constexpr size_t kRanks = 2;
  const auto ends = RunRanks(
      kRanks,
      [&](size_t rank) {
        const train::ImageSet digits = train::GenerateImages(train::kMnistShape, 1, {0, 2});
        const train::ImageSet colours = train::GenerateImages(train::kCifarShape, 1, {0, 2});
        bool good = true;
        for (size_t i = rank; i < all.size(); i += kRanks) {
          good = LearnsABatch(all[i], digits) && good;
          // Images of another size: what matters there is geometry.
          const Knobs& knobs = all[i];
          if (knobs.at("activation") != "tanh" || knobs.at("filters") != "8" ||
              knobs.at("dropout") != "0.5") {
            continue;
          }
          good = LearnsABatch(knobs, colours) && good;
        }
        return good ? 0 : 1;
      },
      std::chrono::seconds(400));
  EXPECT_THAT(ends, Each(0));
}

// Keeps the losses of the epochs.
class Losses final : public SilentListener {
 public:
  void EpochEnded(size_t, std::optional<double> loss, double, size_t, bool) override {
    losses.push_back(loss.value_or(NAN));
  }
  std::vector<double> losses;
};

TEST(NetworksTest, TheOtherNetworksLearn) {
  for (const char* network : {"cnn-small", "cnn-large", "mlp"}) {
    for (const char* shape : {"mnist", "cifar"}) {
      core::TrainerJob job;
      job.network = network;
      job.data.shape = shape;
      job.data.images = 64;
      job.data.validation_images = 10;
      job.batches = {16};
      job.epochs = 4;
      job.optimiser = {"adam", 0.001, 0, 0};
      const auto ends = RunRanks(1, [&](size_t) {
        Losses losses;
        if (!RankTraining(job, 0, 1, 0).Run(losses).ok() || losses.losses.size() != 4) return 1;
        std::printf("%s, %s: loss %.3f, then %.3f\n", network, shape, losses.losses[0],
                    losses.losses[3]);
        return losses.losses[3] < losses.losses[0] ? 0 : 2;
      });
      EXPECT_THAT(ends, Each(0)) << network << ", " << shape;
    }
  }
}

std::string BigEndian(size_t value) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(value >> shift & 0xff);
  return bytes;
}

// The images as files of the source, as a job names them.
std::vector<std::string> WriteImages(const train::ImageSet& images, const std::string& source,
                                     const std::string& file) {
  std::vector<std::pair<std::string, std::string>> files;
  if (source == "idx") {
    std::string pixels = BigEndian(0x803) + BigEndian(images.size()) +
                         BigEndian(static_cast<size_t>(images.shape.height)) +
                         BigEndian(static_cast<size_t>(images.shape.width));
    pixels.append(images.pixels.begin(), images.pixels.end());
    std::string labels = BigEndian(0x801) + BigEndian(images.size());
    labels.append(images.labels.begin(), images.labels.end());
    files = {{file + "-images", pixels}, {file + "-labels", labels}};
  } else {
    std::string records;
    for (size_t i = 0; i < images.size(); ++i) {
      records += static_cast<char>(images.labels[i]);
      records.append(images.Image(i).begin(), images.Image(i).end());
    }
    const size_t half = images.size() / 2 * (1 + images.shape.pixels());
    files = {{file + "-1", records.substr(0, half)}, {file + "-2", records.substr(half)}};
  }
  std::vector<std::string> names;
  for (const auto& [name, bytes] : files) {
    EXPECT_TRUE(base::WriteFile(name, bytes).ok());
    names.push_back(name);
  }
  return names;
}

// The same images from files are the same training, to the last bit.
TEST(NetworksTest, ImagesOfFilesAreTrainedOn) {
  const support::TempFolder folder;
  for (const std::string source : {"idx", "cifar10"}) {
    core::TrainerJob job;
    job.data.shape = source == "idx" ? "mnist" : "cifar";
    job.data.images = 40;
    job.data.validation_images = 10;
    job.batches = {8};
    job.epochs = 2;
    const auto generated = FinalParameters(job, 2, folder.path());
    const train::TrainingData data = train::LoadData(job.data, job.seed).value();
    job.data.source = source;
    job.data.train_files = WriteImages(data.train, source, folder / (source + "-train"));
    job.data.validation_files =
        WriteImages(data.validation, source, folder / (source + "-validation"));
    const auto read = FinalParameters(job, 2, folder.path());
    ASSERT_FALSE(read.empty());
    EXPECT_EQ(read, generated) << source;
  }
}

}  // namespace
}  // namespace reckon::tests
