#include "train/ps/server_options.h"

#include <cstdlib>

#include <gmock/gmock.h>

#include "train/nets/network.h"

namespace reckon::train {
namespace {

using ::testing::HasSubstr;

constexpr size_t kLastLayer = 850;  // parameters of lenet5's

core::TrainerJob AsyncJob() {
  core::TrainerJob job;
  job.strategy = core::Strategy::kAsyncParameterServer;
  return job;
}

ServerPlace Place(size_t number, size_t servers, size_t workers) {
  return {{"127.0.0.1", 1234}, number, servers, workers, "secret"};
}

TEST(ServerOptionsTest, AServerKnowsItsPartOfTheParameters) {
  core::TrainerJob job = AsyncJob();
  const size_t all = BuildNetwork(job.network, {}, kMnistShape, 10)->parameters();
  EXPECT_EQ(MakeServerOptions(job, Place(0, 1, 2))->size, all);
  EXPECT_EQ(MakeServerOptions(job, Place(0, 3, 2))->size, (all + 2) / 3);
  EXPECT_EQ(MakeServerOptions(job, Place(2, 3, 2))->size, all / 3);
  EXPECT_EQ(MakeServerOptions(job, Place(0, 0, 2))->size, 0U);  // of nobody knows how many
  job.fine_tune = 1;
  EXPECT_EQ(MakeServerOptions(job, Place(0, 1, 2))->size, kLastLayer);
  job.data.source = "idx";
  EXPECT_EQ(MakeServerOptions(job, Place(0, 1, 2))->size, 0U);
}

TEST(ServerOptionsTest, TheJobSaysTheRest) {
  core::TrainerJob job = AsyncJob();
  job.optimiser.rate = 0.4;
  job.staleness = 3;
  job.patience_s = 1.5;
  job.checkpoint = "state";
  job.checkpoint_every = 7;
  const ServerOptions async = MakeServerOptions(job, Place(1, 2, 4)).value();
  EXPECT_EQ(async.gate.mode, StepMode::kAsync);
  EXPECT_EQ(async.gate.workers, 4U);
  EXPECT_EQ(async.gate.staleness, 3U);
  EXPECT_EQ(async.gate.patience, std::chrono::milliseconds(1500));
  EXPECT_EQ(async.silence, std::chrono::milliseconds(3000));
  EXPECT_DOUBLE_EQ(async.optimiser.rate, 0.1);  // one by one
  EXPECT_EQ(async.checkpoint, "state.server-1");
  EXPECT_EQ(async.checkpoint_steps, 7U);
  EXPECT_EQ(async.token, "secret");
  job.strategy = core::Strategy::kSyncParameterServer;
  const ServerOptions sync = MakeServerOptions(job, Place(1, 2, 4)).value();
  EXPECT_EQ(sync.gate.mode, StepMode::kSync);
  EXPECT_DOUBLE_EQ(sync.optimiser.rate, 0.4);
}

TEST(ServerOptionsTest, ThePlaceComesFromTheEnvironment) {
  const auto set = [](const char* name, const char* value) { setenv(name, value, 1); };
  set("RECKON_LISTEN", "127.0.0.1:99");
  set("RECKON_SERVER", "1");
  set("RECKON_SERVERS", "a:1,b:2,c:3");
  set("WORLD_SIZE", "5");
  set("RECKON_TOKEN", "t");
  const ServerPlace place = ReadServerPlace().value();
  EXPECT_EQ(place.listen.ToText(), "127.0.0.1:99");
  EXPECT_EQ(place.number, 1U);
  EXPECT_EQ(place.servers, 3U);
  EXPECT_EQ(place.workers, 5U);
  EXPECT_EQ(place.token, "t");
  set("RECKON_SERVER", "3");
  EXPECT_THAT(ReadServerPlace().error().Describe(), HasSubstr("RECKON_SERVERS names 3"));
  set("RECKON_SERVER", "x");
  EXPECT_THAT(ReadServerPlace().error().Describe(), HasSubstr("RECKON_SERVER=x"));
  set("RECKON_SERVER", "0");
  set("WORLD_SIZE", "0");
  EXPECT_THAT(ReadServerPlace().error().Describe(), HasSubstr("WORLD_SIZE=0"));
  for (const char* name :
       {"RECKON_LISTEN", "RECKON_SERVER", "RECKON_SERVERS", "WORLD_SIZE", "RECKON_TOKEN"}) {
    unsetenv(name);
  }
  EXPECT_THAT(ReadServerPlace().error().Describe(), HasSubstr("RECKON_LISTEN is not set"));
}

}  // namespace
}  // namespace reckon::train
