#include "spec/job_file.h"

#include <gmock/gmock.h>

#include "tests/support/temp_folder.h"

namespace reckon::spec {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

class JobFileTest : public ::testing::Test {
 protected:
  base::Result<core::Job> Read(const std::string& text, const std::vector<Override>& set = {}) {
    RECKON_ASSIGN(JobFile file, ReadJobFile(folder_.Write("job.yaml", text), set));
    return std::move(file.job);
  }
  std::string Problem(const std::string& text, const std::vector<Override>& set = {}) {
    const auto job = Read(text, set);
    return job.ok() ? "" : job.error().Describe();
  }
  support::TempFolder folder_;
};

TEST_F(JobFileTest, ATrainersJobIsReadWhole) {
  const core::Job job = Read(R"(
name: digits
num_nodes: 3
resources: {cpus: 2+}
envs: {A: 1, B: two}
time_limit: 1h
trainer:
  network: mlp
  knobs: {hidden: [512, 256], activation: tanh}
  data: {source: idx, train_files: [a, /b], validation_files: [c, d], replicate: 2}
  epochs: 4
  batch: [8, 16, 32]
  shards: [100, 200, 300]
  shuffle: no
  seed: 5
  optimizer: adam
  rate: 0.001
  strategy: async-ps
  staleness: 3
  save: out/model
  patience: 5s
)")
                            .value();
  EXPECT_EQ(job.name, "digits");
  EXPECT_EQ(job.workers, 3);
  EXPECT_EQ(job.servers, 1);
  EXPECT_EQ(job.cpus_per_worker, 2);
  EXPECT_EQ(job.time_limit_s, 3600);
  EXPECT_THAT(job.envs, ElementsAre(Pair("A", "1"), Pair("B", "two")));
  const core::TrainerJob& trainer = *job.trainer;
  EXPECT_EQ(trainer.knobs.at("hidden"), "512,256");
  // Paths are the file's folder's.
  EXPECT_THAT(trainer.data.train_files, ElementsAre((folder_ / "a").string(), "/b"));
  EXPECT_EQ(trainer.save, (folder_ / "out/model").string());
  EXPECT_EQ(trainer.data.images, 0);
  EXPECT_EQ(trainer.data.replicate, 2);
  EXPECT_THAT(trainer.batches, ElementsAre(8, 16, 32));
  EXPECT_THAT(trainer.shards, ElementsAre(100, 200, 300));
  EXPECT_FALSE(trainer.shuffle);
  EXPECT_EQ(trainer.strategy, core::Strategy::kAsyncParameterServer);
  EXPECT_EQ(trainer.staleness, 3);
  EXPECT_EQ(trainer.patience_s, 5);
}

TEST_F(JobFileTest, ACommandOfOnesOwn) {
  const core::Job job = Read("setup: pip install x\nrun: |\n  python a.py\n  echo done\n").value();
  EXPECT_EQ(job.name, "job");
  EXPECT_EQ(job.workers, 1);
  EXPECT_EQ(job.servers, 0);
  EXPECT_EQ(job.command->setup, "pip install x");
  EXPECT_EQ(job.command->run, "python a.py\necho done\n");
  EXPECT_EQ(std::filesystem::path(job.workdir), folder_.path());
}

TEST_F(JobFileTest, SettingsReplaceWhatTheFileSays) {
  const core::Job job =
      Read("trainer: {batch: 8}\nnum_nodes: 1\n",
           {{"trainer.batch", "[1, 2]"}, {"num_nodes", "2"}, {"trainer.data.images", "50"}})
          .value();
  EXPECT_THAT(job.trainer->batches, ElementsAre(1, 2));
  EXPECT_EQ(job.workers, 2);
  EXPECT_EQ(job.trainer->data.images, 50);
  EXPECT_THAT(Problem("trainer: {batch: 8}\n", {{"trainer.batch", "x"}}),
              HasSubstr("--set trainer.batch"));
}

TEST_F(JobFileTest, AnErrorGetsThePlaceOfTheValueItIsAbout) {
  const JobFile file = ReadJobFile(folder_.Write("job.yaml", "name: x\ntrainer:\n  epochs: 3\n"),
                                   {{"trainer.batch", "9"}})
                           .value();
  const auto placed = [&](const char* key) {
    return file.Placed(base::BadInput("wrong").About(key)).Describe();
  };
  EXPECT_THAT(placed("trainer.epochs"), HasSubstr("job.yaml, line 3: trainer.epochs: wrong"));
  EXPECT_EQ(placed("trainer.batch"), "--set trainer.batch: wrong");
  // Nobody wrote it: where it would stand.
  EXPECT_THAT(placed("trainer.data.source"),
              HasSubstr("job.yaml, line 2: trainer.data.source: wrong"));
  EXPECT_EQ(placed(""), "wrong");
}

TEST_F(JobFileTest, MistakesNameFileLineAndKey) {
  EXPECT_THAT(Problem("trainer:\n  epochs: 1\n  batch: x\n"),
              HasSubstr("job.yaml, line 3: trainer.batch: expected a whole number"));
  EXPECT_THAT(Problem("trainer: {epoch: 1}\n"), HasSubstr("did you mean 'epochs'"));
  EXPECT_THAT(Problem("nam: x\ntrainer: {}\n"), HasSubstr("did you mean 'name'"));
  EXPECT_THAT(Problem("name: x\n"), HasSubstr("neither 'trainer' nor 'run'"));
  EXPECT_THAT(Problem("trainer: {epochs: 1}\nrun: x\n"), HasSubstr("both 'trainer' and 'run'"));
  EXPECT_THAT(Problem("trainer: {strategy: gossip}\n"),
              HasSubstr("expected one of all-reduce, async-ps, sync-ps"));
  EXPECT_THAT(Problem("trainer: {epochs: 1}\nservers: 1\n"),
              HasSubstr("expected 0, since all-reduce needs none"));
  EXPECT_THAT(Problem("trainer: {strategy: sync-ps}\nservers: 0\n"), HasSubstr("1 or more"));
  EXPECT_THAT(Problem("run: x\nnum_nodes: 1\nworkers: 2\n"), HasSubstr("not both"));
  EXPECT_THAT(Problem("run: x\ntime_limit: soon\n"), HasSubstr("expected a duration"));
  const std::string long_time = "1" + std::string(300, '0') + "s";
  for (const std::string& wrong : {long_time, std::string("3651d"), std::string("3650d1s")}) {
    EXPECT_THAT(Problem("run: x\ntime_limit: " + wrong + "\n"),
                HasSubstr("line 2: time_limit: expected a duration of at most 10 years (3650d)"));
  }
  EXPECT_THAT(Problem("trainer: {patience: " + long_time + "}\n"),
              HasSubstr("trainer.patience: expected"));
  EXPECT_EQ(Read("run: x\ntime_limit: 3650d\n").value().time_limit_s, 3650 * 86'400.0);
  EXPECT_THAT(Problem("run: x\nresources: {cpus: many}\n"), HasSubstr("resources.cpus"));
  EXPECT_THAT(Problem("- a\n"), HasSubstr("expected a job"));
  EXPECT_THAT(Problem("run: x\nenvs:\n  A: 1\n  B=C: 2\n"),
              HasSubstr("job.yaml, line 4: envs.B=C: expected a name of a variable"));
  EXPECT_THAT(Problem("run: ' '\n"), HasSubstr("job.yaml, line 1: run: expected a command"));
  EXPECT_EQ(ReadJobFile(folder_ / "none.yaml", {}).error().code(), base::ErrorCode::kNotFound);
}

TEST_F(JobFileTest, WhenATrainingMayEndEarly) {
  const auto plain = Read("trainer: {epochs: 30}\n");
  EXPECT_FALSE(plain.value().early_stop);
  const auto usual = Read("trainer: {epochs: 30}\nearly_stop: true\n").value().early_stop;
  ASSERT_TRUE(usual);
  EXPECT_EQ(usual->epochs, 30);
  EXPECT_FALSE(usual->accuracy);
  EXPECT_EQ(usual->confidence, 0.95);
  const auto own = Read(
                       "run: ./train\nearly_stop: {accuracy: 0.9, confidence: 80%, least_gain: "
                       "0.01, epochs: 12}\n")
                       .value()
                       .early_stop;
  ASSERT_TRUE(own);
  EXPECT_EQ(own->accuracy, 0.9);
  EXPECT_EQ(own->confidence, 0.8);
  EXPECT_EQ(own->least_gain, 0.01);
  EXPECT_EQ(own->epochs, 12);
  EXPECT_FALSE(Read("trainer: {}\nearly_stop: no\n").value().early_stop);
  const std::pair<const char*, const char*> wrong[] = {
      {"run: ./train\nearly_stop: true\n", "'epochs': how many the command trains"},
      {"trainer: {}\nearly_stop: {epochs: 3}\n", "the trainer has its own"},
      {"trainer: {}\nearly_stop: {accuracy: 90}\n", "early_stop.accuracy"},
      {"trainer: {}\nearly_stop: {goal: 1}\n", "goal"},
      {"trainer: {checkpoint: c, checkpoint_every: 0}\n", "or epoch"},
  };
  for (const auto& [text, says] : wrong) {
    const auto read = Read(text);
    ASSERT_FALSE(read.ok()) << text;
    EXPECT_THAT(read.error().Describe(), ::testing::HasSubstr(says)) << text;
  }
  const auto epochs = Read("trainer: {checkpoint: c, checkpoint_every: epoch}\n").value();
  EXPECT_TRUE(epochs.trainer->checkpoint_epochs);
  EXPECT_EQ(epochs.trainer->checkpoint_every, 0);
}

TEST_F(JobFileTest, WhatRunsBesideTheTraining) {
  const std::string text = R"(
trainer: {network: lenet5}
background:
  load: {stress: {cpu: 60, memory: 30%, disk: 20MB/s}, on: [workers, servers], settle: 9s}
  sift: {run: ./sift, deadline: 200ms}
  other: {run: ./other}
)";
  const core::Job job = Read(text).value();
  ASSERT_EQ(job.background.size(), 3U);
  const core::BackgroundLoad& load = job.background[0];
  EXPECT_EQ(load.name, "load");
  EXPECT_DOUBLE_EQ(load.stress->cpu, 0.6);
  EXPECT_DOUBLE_EQ(load.stress->memory, 0.3);
  EXPECT_DOUBLE_EQ(load.stress->disk_bytes_s, 20e6);
  EXPECT_THAT(load.on, ElementsAre("workers", "servers"));
  EXPECT_EQ(load.settle_s, 9);
  EXPECT_EQ(job.background[1].deadline_s, 0.2);
  EXPECT_EQ(job.background[1].settle_s, 30);
  EXPECT_EQ(job.background[2].settle_s, 1);
  // As campaigns do it.
  const auto changed = Read(text, {{"background.load.stress.cpu", "0"}}).value();
  EXPECT_EQ(changed.background[0].stress->cpu, 0);
}

TEST_F(JobFileTest, WrongBackgroundIsNamed) {
  const auto problem = [&](const std::string& entry) {
    return Problem("trainer: {}\nbackground:\n  load: " + entry + "\n");
  };
  EXPECT_THAT(problem("{}"), HasSubstr("line 3: background.load: expected either 'stress'"));
  EXPECT_THAT(problem("{stress: {cpu: 60}, run: x}"), HasSubstr("expected either 'stress'"));
  EXPECT_THAT(problem("{stress: {cpu: 160}}"),
              HasSubstr("background.load.stress.cpu: expected a percentage from 0 to 100"));
  EXPECT_THAT(problem("{stress: {disk: fast}}"), HasSubstr("expected bytes a second"));
  EXPECT_THAT(problem("{stress: {cpu: 1}, deadline: 1s}"), HasSubstr("only an app has a deadline"));
  EXPECT_THAT(problem("{run: x, deadline: 0}"), HasSubstr("expected a duration above 0"));
  EXPECT_THAT(problem("{run: ' '}"), HasSubstr("expected a command"));
  EXPECT_THAT(problem("{run: x, host: h0}"), HasSubstr("host"));
  EXPECT_THAT(Problem("trainer: {}\nbackground: [x]\n"), HasSubstr("names of loads"));
}

}  // namespace
}  // namespace reckon::spec
