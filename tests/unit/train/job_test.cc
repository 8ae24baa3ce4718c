// Jobs of the trainer: as JSON, checked, and the files they leave.
#include <algorithm>
#include <fstream>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "tests/support/temp_folder.h"
#include "train/check_job.h"
#include "train/data/generated_images.h"
#include "train/data/image_files.h"
#include "train/data/training_data.h"
#include "train/going_on.h"
#include "train/job_json.h"
#include "train/saved_model.h"

namespace reckon::train {
namespace {

using ::testing::HasSubstr;

core::TrainerJob UnusualJob() {
  core::TrainerJob job;
  job.network = "mlp";
  job.knobs = {{"hidden", "64,32"}};
  job.data = {"idx", "cifar", {"a", "b"}, {"c", "d"}, 7, 8, 9, "print"};
  job.epochs = 3;
  job.batches = {1, 2};
  job.shards = {10, 20};
  job.shuffle = false;
  job.seed = UINT64_MAX;
  job.float64 = true;
  job.optimiser = {"adam", 0.25, 0.5, 0.125};
  job.strategy = core::Strategy::kAsyncParameterServer;
  job.staleness = 4;
  job.base_model = "base";
  job.fine_tune = 2;
  job.save = "save";
  job.checkpoint_every = 11;
  job.checkpoint = "checkpoint";
  job.patience_s = 1.5;
  return job;
}

TEST(JobJsonTest, EveryFieldComesBack) {
  const base::Json json = ToJson(UnusualJob());
  EXPECT_EQ(ToJson(ReadTrainerJob(json).value()), json);
  EXPECT_EQ(json["seed"], UINT64_MAX);
  EXPECT_NE(ToJson(core::TrainerJob()), json);
}

TEST(JobJsonTest, MissingAndWrongFieldsAreNamed) {
  base::Json json = ToJson(UnusualJob());
  json.erase("epochs");
  EXPECT_THAT(ReadTrainerJob(json).error().Describe(), HasSubstr("'epochs' is missing"));
  json["epochs"] = "three";
  EXPECT_THAT(ReadTrainerJob(json).error().Describe(), HasSubstr("'epochs' is of another kind"));
  json["epochs"] = 3;
  json["strategy"] = "gossip";
  EXPECT_THAT(ReadTrainerJob(json).error().Describe(), HasSubstr("unknown strategy \"gossip\""));
  EXPECT_FALSE(ReadTrainerJob(base::Json::array()).ok());
}

std::string ProblemOf(const core::TrainerJob& job, size_t workers = 2) {
  const auto checked = CheckJob(job, workers);
  return checked.ok() ? "" : checked.error().about() + ": " + checked.error().Describe();
}

TEST(CheckJobTest, TellsWhatFollowsFromAJob) {
  core::TrainerJob job;
  job.data.images = 100;
  job.data.replicate = 3;
  job.batches = {8};
  const CheckedJob checked = CheckJob(job, 2).value();
  EXPECT_EQ(checked.dealing.rows(), 300);
  EXPECT_EQ(checked.dealing.steps(), 19);
  EXPECT_EQ(checked.network.parameters(), 36142);
  // A batch a thousand times as large needs much more memory.
  job.data.replicate = 300;
  job.batches = {8000};
  EXPECT_GT(CheckJob(job, 2)->memory_bytes, 3 * checked.memory_bytes);
}

// More than 64 bits could count.
TEST(CheckJobTest, MemoryDoesNotWrap) {
  core::TrainerJob job;
  job.knobs = {{"filters", "1024"}, {"padding", "same"}, {"pool", "1"}};
  job.data.replicate = 600'000;
  job.batches = {3'600'000'000};
  const CheckedJob checked = CheckSettings(job, 1, 6000, 1000, {1, 1000, 1000}, 10).value();
  EXPECT_EQ(checked.memory_bytes, uint64_t{64} << 40);
}

TEST(CheckJobTest, ServersNeedMemoryToo) {
  core::TrainerJob job;
  EXPECT_EQ(CheckJob(job, 2)->servers_memory_bytes, 0);
  job.strategy = core::Strategy::kSyncParameterServer;
  EXPECT_GT(CheckJob(job, 2)->servers_memory_bytes, 36142 * 4 * 3);
}

TEST(CheckJobTest, MistakesAreNamed) {
  EXPECT_EQ(ProblemOf({}), "");
  core::TrainerJob job;
  job.network = "lenet";
  EXPECT_THAT(ProblemOf(job),
              HasSubstr("trainer.network: unknown network 'lenet'; did you mean 'lenet5'?"));
  job = {};
  job.knobs = {{"kernel", "-1"}};
  EXPECT_THAT(ProblemOf(job), HasSubstr("trainer.knobs.kernel: kernel"));
  job = {};
  job.shards = {10, 20};
  EXPECT_THAT(ProblemOf(job),
              HasSubstr("trainer.shards: shard sizes add up to 30; the data has 6000"));
  job = {};
  job.batches = {6001};
  EXPECT_THAT(ProblemOf(job, 1),
              HasSubstr("trainer.batch: batch 6001 of worker 0; expected 1..6000"));
  job = {};
  job.staleness = 1;
  EXPECT_THAT(ProblemOf(job), HasSubstr("trainer.staleness: staleness with all-reduce"));
  job = {};
  job.float64 = true;
  job.strategy = core::Strategy::kSyncParameterServer;
  EXPECT_THAT(ProblemOf(job), HasSubstr("trainer.float64: float64 with sync-ps"));
  job = {};
  job.fine_tune = 1;
  EXPECT_THAT(ProblemOf(job), HasSubstr("trainer.fine_tune: fine_tune without base_model"));
  job = {};
  job.optimiser.name = "sgdd";
  EXPECT_THAT(ProblemOf(job), HasSubstr("trainer.optimizer: unknown optimizer 'sgdd'"));
  job = {};
  job.data.source = "imagenet";
  EXPECT_THAT(ProblemOf(job), HasSubstr("trainer.data.source: unknown source of data 'imagenet'"));
  job = {};
  job.data.source = "idx";
  job.data.train_files = {"one"};
  EXPECT_THAT(ProblemOf(job), HasSubstr("train_files: 1 file of source idx; expected two"));
  job.data.train_files = {"/nowhere/images", "/nowhere/labels"};
  job.data.validation_files = job.data.train_files;
  EXPECT_THAT(ProblemOf(job), HasSubstr("trainer.data.train_files: "));
}

TEST(SavedModelTest, ComesBackToTheLastBitAndIsRefusedWhenDamaged) {
  const support::TempFolder folder;
  SavedModel model;
  model.network = "mlp";
  model.knobs = {{"hidden", "2"}};
  model.parameters = std::vector<double>{0.1, -0.0, 1e-310};
  model.first = std::vector<double>{1};
  model.second = std::vector<double>{};
  model.steps = 7;
  model.optimiser_steps = 6;
  model.course = {{"rate", 0.1}};
  const auto path = folder / "model";
  ASSERT_TRUE(WriteModel(path, model).ok());
  const SavedModel back = ReadModel(path).value();
  EXPECT_EQ(back.parameters, model.parameters);
  EXPECT_EQ(back.first, model.first);
  EXPECT_EQ(back.second, model.second);
  EXPECT_EQ(back.knobs, model.knobs);
  EXPECT_EQ(back.steps, 7);
  EXPECT_EQ(back.optimiser_steps, 6);
  EXPECT_EQ(back.course, model.course);
  const std::string text = base::ReadFile(path).value();
  std::string flipped = text;
  flipped.back() = static_cast<char>(flipped.back() ^ 1);
  std::string more_steps = text;
  more_steps[text.find("\"steps\":7") + 8] = '9';
  for (const std::string& damaged : {text.substr(0, text.size() - 1), flipped, more_steps,
                                     text + "x", std::string("{}\n"), std::string()}) {
    ASSERT_TRUE(base::WriteFile(path, damaged).ok());
    const auto read = ReadModel(path);
    ASSERT_FALSE(read.ok());
    EXPECT_EQ(read.error().code(), base::ErrorCode::kCorrupt);
  }
}

// Whatever the first line says, and were its checksum right.
TEST(SavedModelTest, AHeadOfOtherKindsIsRefused) {
  const auto problem = [](const char* facts, const char* arrays) {
    base::Json head;
    head["format"] = "reckon-trained-model-1";
    head["facts"] = base::Json::parse(facts);
    head["arrays"] = base::Json::parse(arrays);
    head["checksum"] = ArrayChecksum(head, "");
    const auto model = ModelFromText(base::DumpJsonLine(head) + "\n", "m");
    return model.ok() ? "" : model.error().Describe();
  };
  const char* facts = R"({"network": "mlp", "knobs": {}, "steps": 1, "optimiser_steps": 1})";
  const char* arrays = R"([{"name": "parameters", "type": "f32", "size": 0},
      {"name": "first", "type": "f32", "size": 0}, {"name": "second", "type": "f32", "size": 0}])";
  EXPECT_EQ(problem(facts, arrays), "");
  EXPECT_THAT(problem("[]", arrays), HasSubstr("not a file of the format"));
  EXPECT_THAT(problem("{}", arrays), HasSubstr("not a whole trained model"));
  EXPECT_THAT(problem(facts, R"([{"name": "parameters", "type": 5, "size": 0}])"),
              HasSubstr("cut off?"));
  EXPECT_THAT(problem(facts, R"([{"name": [], "type": "f32", "size": 0}])"), HasSubstr("cut off?"));
  EXPECT_THAT(problem(facts, "[5]"), HasSubstr("cut off?"));
}

// A job of an mlp with 4 hidden units and its checkpoint after 10 of 94 steps.
struct Progress {
  support::TempFolder folder;
  core::TrainerJob job;
  SavedModel checkpoint;

  Progress() {
    job.network = "mlp";
    job.knobs = {{"hidden", "4"}};
    job.optimiser.momentum = 0.5;
    const CheckedJob checked = CheckJob(job, 1).value();
    job.checkpoint = folder / "state";
    checkpoint.network = job.network;
    checkpoint.knobs = job.knobs;
    checkpoint.parameters = std::vector<float>(checked.network.parameters());
    checkpoint.first = checkpoint.parameters;
    checkpoint.steps = 10;
    checkpoint.optimiser_steps = 10;
    checkpoint.course = CourseOf(job, checked, {});
  }
  std::string Problem(const core::TrainerJob& other, size_t workers = 1) const {
    EXPECT_TRUE(WriteModel(job.checkpoint, checkpoint).ok());
    return ProblemOf(other, workers);
  }
};

TEST(GoingOnTest, OnlyTheSameTrainingGoesOn) {
  const Progress progress;
  EXPECT_EQ(progress.Problem(progress.job), "");
  const auto problem = [&](auto change, size_t workers = 1) {
    core::TrainerJob job = progress.job;
    change(job);
    return progress.Problem(job, workers);
  };
  const auto job = [&](auto change) { return problem(change); };
  using Job = core::TrainerJob;
  // Longer is the same training, and so are other words for the same.
  EXPECT_EQ(job([](Job& j) { j.epochs = 3; }), "");
  EXPECT_EQ(job([](Job& j) { j.knobs["activation"] = "relu"; }), "");
  EXPECT_EQ(job([](Job& j) { j.data.validation_images = 7; }), "");
  EXPECT_EQ(job([](Job& j) { j.save = "elsewhere"; }), "");
  EXPECT_THAT(job([](Job& j) { j.optimiser.momentum = 0; }),
              HasSubstr("state: the checkpoint of another training: momentum 0.5, the job has 0.0; "
                        "remove it to begin anew"));
  EXPECT_THAT(job([](Job& j) { j.optimiser.name = "adam"; }),
              HasSubstr("optimizer \"sgd\", the job has \"adam\""));
  EXPECT_THAT(job([](Job& j) { j.optimiser.rate = 1; }), HasSubstr("rate 0.05"));
  EXPECT_THAT(job([](Job& j) { j.batches = {32}; }), HasSubstr("batch [64], the job has [32]"));
  EXPECT_THAT(job([](Job& j) { j.seed = 2; }), HasSubstr("seed 1, the job has 2"));
  EXPECT_THAT(job([](Job& j) { j.shuffle = false; }), HasSubstr("shuffle true"));
  EXPECT_THAT(job([](Job& j) { j.data.images = 5999; }), HasSubstr("images 6000"));
  EXPECT_THAT(job([](Job& j) { j.knobs["dropout"] = "0.5"; }), HasSubstr("dropout 0.0"));
  EXPECT_THAT(job([](Job& j) { j.knobs["hidden"] = "5"; }), HasSubstr("with other knobs"));
  EXPECT_THAT(problem(
                  [](Job& j) {
                    j.batches = {32, 32};
                  },
                  2),
              HasSubstr("workers 1, the job has 2; batch [64], the job has [32,32]"));
}

TEST(GoingOnTest, ACheckpointMustBeWhole) {
  Progress progress;
  progress.checkpoint.first = std::vector<float>(3);
  EXPECT_THAT(progress.Problem(progress.job), HasSubstr("not a whole optimiser"));
  progress.checkpoint.first = progress.checkpoint.parameters;
  progress.checkpoint.steps = 95;
  EXPECT_THAT(progress.Problem(progress.job),
              HasSubstr("the checkpoint of step 95; the job has 94 steps"));
  progress.checkpoint.course = {};
  EXPECT_THAT(progress.Problem(progress.job), HasSubstr("a trained model, not a checkpoint"));
}

// Their content counts, not where they are.
TEST(GoingOnTest, OtherImagesInTheFilesAreAnotherTraining) {
  core::TrainerJob job;
  job.data.source = "idx";
  job.checkpoint = "state";
  const CheckedJob checked = CheckJob({}, 1).value();
  const ImageSet images = GenerateImages(kMnistShape, 1, {0, 3});
  const base::Json course = CourseOf(job, checked, images);
  job.data.train_files = {"elsewhere/images", "elsewhere/labels"};
  EXPECT_EQ(CourseOf(job, checked, images), course);
  ImageSet others = images;
  others.pixels.back() = static_cast<uint8_t>(others.pixels.back() + 1);
  EXPECT_NE(CourseOf(job, checked, others), course);
}

// Each of two workers has the files of its own shard alone.
TEST(OwnShardTest, EveryWorkerReadsItsOwnAndCountsAll) {
  const support::TempFolder folder;
  const ImageSet all = GenerateImages(kMnistShape, 1, {0, 50});
  const auto write = [&](const std::string& stem, size_t first, size_t count) {
    ASSERT_TRUE(base::WriteFile(folder / (stem + ".images"), IdxImages(all, first, count)).ok());
    ASSERT_TRUE(base::WriteFile(folder / (stem + ".labels"), IdxLabels(all, first, count)).ok());
  };
  write("shard-0", 0, 30);
  write("shard-1", 30, 20);
  core::TrainerJob job;
  job.data.source = "idx";
  job.data.shards_of = "print of all";
  job.data.images = 50;
  for (const char* kind : {"images", "labels"}) {
    job.data.train_files.push_back((folder / "shard-{rank}.").string() + kind);
    job.data.validation_files.push_back((folder / "shard-0.").string() + kind);
  }
  job.shards = {30, 20};
  job.batches = {8};
  const TrainingData second = LoadData(job.data, 1, 1).value();
  ASSERT_EQ(second.train.size(), 20U);
  EXPECT_TRUE(std::ranges::equal(second.train.Image(0), all.Image(30)));
  EXPECT_EQ(ImagesOfAll(job, 1, second.train.size()).value(), 50U);
  EXPECT_THAT(ImagesOfAll(job, 0, 20).error().Describe(), HasSubstr("its shard has 30"));
  const auto checked = CheckSettings(job, 2, 50, 30, kMnistShape, 10).value();
  EXPECT_EQ(checked.dealing.Begin(1), 30U);
  for (const uint32_t row : checked.dealing.Order(1, 3, 1, true)) {
    EXPECT_GE(row, 30U);
    EXPECT_LT(row, 50U);
  }
  // Whoever plans has none of the files, and knows what there is to know.
  core::TrainerJob elsewhere = job;
  elsewhere.data.train_files = {"shard-{rank}.images", "shard-{rank}.labels"};
  EXPECT_EQ(CheckJob(elsewhere, 2)->dealing.rows(), 50U);
  // Workers of one training are known as such, though each has other images.
  job.checkpoint = "checkpoint";
  EXPECT_EQ(CourseOf(job, checked, all), CourseOf(job, checked, second.train));
  job.data.shards_of = "print of others";
  EXPECT_NE(CourseOf(job, checked, all).at("train_files"), "print of all");
  job.data.source = "generated";
  EXPECT_FALSE(LoadData(job.data, 1).ok());
}

TEST(SavedModelTest, ABaseModelMustFitTheJob) {
  const support::TempFolder folder;
  core::TrainerJob job;
  job.network = "mlp";
  job.knobs = {{"hidden", "4"}};
  job.base_model = folder / "base";
  const size_t parameters =
      CheckJob({.network = "mlp", .knobs = job.knobs}, 1)->network.parameters();
  SavedModel model;
  model.network = "mlp";
  model.knobs = job.knobs;
  model.parameters = std::vector<float>(parameters);
  const auto problem = [&] {
    EXPECT_TRUE(WriteModel(job.base_model, model).ok());
    return ProblemOf(job);
  };
  EXPECT_EQ(problem(), "");
  job.knobs = {{"hidden", "04"}, {"activation", "relu"}, {"dropout", "0.5"}};  // the same layers
  EXPECT_EQ(problem(), "");
  model.parameters = std::vector<double>(parameters);
  EXPECT_THAT(problem(), HasSubstr("of 64-bit numbers"));
  model.parameters = std::vector<float>(parameters + 1);
  EXPECT_THAT(problem(), HasSubstr("parameters; mlp has"));
  model.knobs = {{"hidden", "8"}};
  EXPECT_THAT(problem(), HasSubstr("a model of mlp with other knobs"));
  model.knobs = {{"hidden", "4"}, {"activation", "tanh"}};
  EXPECT_THAT(problem(), HasSubstr("a model of mlp with other knobs"));
  model.knobs = {};
  model.network = "lenet5";
  EXPECT_THAT(problem(), HasSubstr("a model of lenet5; the job trains mlp"));
}

}  // namespace
}  // namespace reckon::train
