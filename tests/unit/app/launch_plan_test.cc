// What a job becomes when it is started: seats on hosts, processes and their environments.
#include "app/runs/launch_plan.h"

#include <set>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "app/runs/background_plan.h"
#include "app/runs/seats.h"
#include "base/json.h"
#include "tests/unit/app/two_worker_job.h"

namespace reckon::app {
namespace {

using base::Json;
using ::testing::Contains;
using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(LaunchPlanTest, RanksFindTheEnvironmentTheyKnow) {
  core::Job job = TwoWorkerJob();
  job.trainer->strategy = core::Strategy::kAsyncParameterServer;
  job.servers = 1;
  job.envs["OMP_NUM_THREADS"] = "7";
  job.envs["NCCL_SOCKET_IFNAME"] = "mine";
  std::vector<PlannedPlace> places(3);
  for (size_t i = 0; i < 3; ++i) {
    places[i].place = {"h" + std::to_string(i), "10.0.0." + std::to_string(i + 1), "/netns", {}};
    places[i].device = "eth7";
  }
  const auto spec =
      PlanLaunch({job, 4, "/runs/4", places, "10.0.0.9", "x.db", {"sup", "wrk", "ps"}}).value();
  EXPECT_EQ(spec.status_host, "10.0.0.9");
  EXPECT_EQ(spec.token.size(), 32);
  ASSERT_EQ(spec.processes.size(), 3);
  const act::ProcessSpec& server = spec.processes[0];
  EXPECT_EQ(server.role, "server");
  EXPECT_EQ(server.place.host, "h0");
  EXPECT_EQ(server.on_death, act::OnDeath::kRestart);
  const act::ProcessSpec& worker = spec.processes[2];
  EXPECT_EQ(worker.place.host, "h2");
  EXPECT_EQ(worker.on_death, act::OnDeath::kGoOn);
  EXPECT_EQ(worker.argv, (std::vector<std::string>{"wrk", "/runs/4/trainer.json"}));
  EXPECT_EQ(worker.env.at("RANK"), "1");
  EXPECT_EQ(worker.env.at("WORLD_SIZE"), "2");
  EXPECT_EQ(worker.env.at("LOCAL_RANK"), "0");
  EXPECT_EQ(worker.env.at("GROUP_RANK"), "1");
  EXPECT_EQ(worker.env.at("MASTER_ADDR"), "10.0.0.2");
  EXPECT_EQ(worker.env.at("RECKON_SERVERS"), server.env.at("RECKON_LISTEN"));
  EXPECT_EQ(worker.env.at("OMP_NUM_THREADS"), "7");
  EXPECT_EQ(worker.env.at("GLOO_SOCKET_IFNAME"), "eth7");
  EXPECT_EQ(worker.env.at("NCCL_SOCKET_IFNAME"), "mine");
  EXPECT_EQ(worker.env.at("DMLC_ROLE"), "worker");
  EXPECT_EQ(worker.env.at("DMLC_NUM_SERVER"), "1");
  const Json tf = Json::parse(worker.env.at("TF_CONFIG"));
  EXPECT_EQ(tf["cluster"]["worker"].size(), 2);
  EXPECT_EQ(tf["cluster"]["ps"].size(), 1);
  EXPECT_EQ(tf["task"]["type"], "worker");
  EXPECT_EQ(tf["task"]["index"], 1);
}

TEST(LaunchPlanTest, BackgroundGetsOneProcessForEachHost) {
  core::Job job = TwoWorkerJob();
  job.trainer->strategy = core::Strategy::kAsyncParameterServer;
  job.servers = 1;
  core::BackgroundLoad load;
  load.name = "load";
  load.stress = core::StressLevels{0.6, 0.25, 2e6, 0};
  load.on = {"servers", "h2"};
  core::BackgroundLoad none = load;
  none.stress = core::StressLevels{};
  core::BackgroundLoad app;
  app.name = "sift";
  app.run = "./sift";
  app.deadline_s = 0.2;
  job.background = {load, none, app};
  std::vector<PlannedPlace> places(3);
  for (size_t i = 0; i < 3; ++i) {
    places[i].place.host = "h" + std::to_string(i);
    places[i].cpus = 1;
    places[i].memory_bytes = 1 << 30;
  }
  EXPECT_TRUE(CheckBackground(job, Seat(job, places)).ok());
  const auto spec =
      PlanLaunch({job, 4, "/r", places, "::1", "x.db", {"sup", "wrk", "ps", "stress"}, 5}).value();
  ASSERT_EQ(spec.processes.size(), 7U);
  EXPECT_EQ(spec.processes[0].title, "load on h0");
  EXPECT_EQ(spec.processes[1].title, "load on h2");
  EXPECT_EQ(spec.processes[1].place.host, "h2");
  EXPECT_TRUE(spec.processes[1].reports);
  EXPECT_EQ(spec.processes[0].argv,
            (std::vector<std::string>{"stress", "--cpu", "60", "--cpus", "0.2", "--memory", "25%",
                                      "--memory-total", "1073741824", "--disk", "2000000",
                                      "--settle", "30s"}));
  EXPECT_GT(spec.processes[0].settle_s, 30) << "the program says first what is missing";
  EXPECT_EQ(spec.processes[2].app, "sift");
  EXPECT_EQ(spec.baseline_s, 5);
  EXPECT_EQ(spec.processes[2].title, "sift on h1");
  EXPECT_EQ(spec.processes[3].title, "sift on h2");
  EXPECT_EQ(spec.processes[3].index, 3);
  EXPECT_EQ(spec.processes[3].env.at("RECKON_DEADLINE_S"), "1");
  EXPECT_EQ(spec.processes[3].env.at("RECKON_DILATION"), "5");
  EXPECT_EQ(spec.processes[4].role, "server");
  job.background[0].on = {"h9"};
  const auto wrong = CheckBackground(job, Seat(job, places));
  EXPECT_EQ(wrong.error().about(), "background.load.on");
  EXPECT_THAT(wrong.error().Describe(), HasSubstr("no process of the job is on a host 'h9'"));
  // Who has no servers can load none; a level of 0 asks for nothing.
  job.background[0].on = job.background[1].on = {"servers"};
  job.trainer->strategy = core::Strategy::kAllReduce;
  job.servers = 0;
  const auto nowhere = CheckBackground(job, Seat(job, places));
  EXPECT_EQ(nowhere.error().about(), "background.load.on");
  EXPECT_THAT(nowhere.error().Describe(), HasSubstr("no servers"));
  job.background.erase(job.background.begin());
  EXPECT_TRUE(CheckBackground(job, Seat(job, places)).ok());
  // Hosts are observed before the training also where all levels are 0.
  job.background = {none};
  EXPECT_EQ(PlanLaunch({job, 4, "/r", places, "::1", "x.db", {"sup", "wrk", "ps", "stress"}, 5})
                .value()
                .baseline_s,
            5);
  job.background.clear();
  EXPECT_EQ(PlanLaunch({job, 4, "/r", places, "::1", "x.db", {"sup", "wrk", "ps", "stress"}, 5})
                .value()
                .baseline_s,
            0);
}

TEST(LaunchPlanTest, ACommandGetsAShellAndPlacesAreShared) {
  core::Job job;
  job.name = "own";
  job.command = core::CommandJob{"make", "echo $RANK"};
  job.workers = 3;
  const auto spec =
      PlanLaunch({job, 1, "/runs/1", {PlannedPlace{}}, "127.0.0.1", "x.db", {}}).value();
  EXPECT_EQ(spec.setup, "make");
  ASSERT_EQ(spec.processes.size(), 3);
  EXPECT_EQ(spec.processes[2].argv, (std::vector<std::string>{"/bin/sh", "-c", "echo $RANK"}));
  EXPECT_EQ(spec.processes[2].env.at("LOCAL_RANK"), "2");
  EXPECT_EQ(spec.processes[2].env.at("LOCAL_WORLD_SIZE"), "3");
  EXPECT_EQ(spec.processes[2].on_death, act::OnDeath::kFail);
}

TEST(SeatsTest, AWorkerUsesNoMoreProcessorsThanItsHostHas) {
  core::Job job;
  PlannedPlace here;
  EXPECT_EQ(CpusOfWorker(job, here), 1);
  const auto of_host = [&](double cpus) {
    PlannedPlace place;
    place.cpus = cpus;
    return CpusOfWorker(job, place);
  };
  EXPECT_EQ(of_host(4), 4);
  EXPECT_EQ(of_host(2.5), 3);
  job.cpus_per_worker = 2;
  EXPECT_EQ(CpusOfWorker(job, here), 2);
  EXPECT_EQ(of_host(4), 2);
  EXPECT_EQ(of_host(0.7), 1);
  const auto spec =
      PlanLaunch({TwoWorkerJob(), 1, "/runs/1", {{{}, 2.5}}, "127.0.0.1", "x.db", {}}).value();
  EXPECT_EQ(spec.processes[0].env.at("OMP_NUM_THREADS"), "3");
  // Who spins while he waits uses up the quota of his host.
  EXPECT_EQ(spec.processes[0].env.at("OMP_WAIT_POLICY"), "passive");
  const auto free =
      PlanLaunch({TwoWorkerJob(), 1, "/runs/1", {{{}, 0}}, "127.0.0.1", "x.db", {}}).value();
  EXPECT_FALSE(free.processes[0].env.contains("OMP_WAIT_POLICY"));
  EXPECT_EQ(spec.processes[0].env.at("GLOO_SOCKET_IFNAME"), "lo");
}

TEST(SeatsTest, WorkersOfAHostShareItsMemory) {
  core::Job job = TwoWorkerJob();
  constexpr uint64_t kMB = 1'000'000;
  std::vector<PlannedPlace> places(2);
  places[0].place.host = "h0";
  places[1] = {{"h1", "10.0.0.2", "/netns", {}}, 1, 256 * kMB};
  EXPECT_TRUE(CheckMemory(Seat(job, places), 256 * kMB).ok());
  const auto tight = CheckMemory(Seat(job, places), 257 * kMB);
  EXPECT_EQ(tight.error().code(), base::ErrorCode::kBadInput);
  EXPECT_THAT(tight.error().Describe(), HasSubstr("host 'h1' has a memory limit of 256 MB"));
  EXPECT_THAT(tight.error().Describe(), HasSubstr("1 worker with"));
  EXPECT_THAT(tight.error().Describe(), HasSubstr("257 MB"));
  // A worker more than hosts; a host that is named twice.
  job.workers = 4;
  EXPECT_THAT(CheckMemory(Seat(job, places), 129 * kMB).error().Describe(),
              HasSubstr("2 workers with"));
  job.workers = 2;
  places[0] = places[1];
  EXPECT_TRUE(CheckMemory(Seat(job, places), 128 * kMB).ok());
  EXPECT_FALSE(CheckMemory(Seat(job, places), 129 * kMB).ok());
  // A server takes a place of its own where there are enough.
  job.workers = 1;
  job.servers = 1;
  places[1].memory_bytes = 0;
  places[1].place.host = "h2";
  EXPECT_TRUE(CheckMemory(Seat(job, places), 512 * kMB).ok());
}

TEST(LaunchPlanTest, NoPortIsGivenTwice) {
  core::Job job;
  job.name = "own";
  job.command = core::CommandJob{"", "true"};
  job.workers = 800;
  const auto spec =
      PlanLaunch({job, 1, "/runs/1", {PlannedPlace{}}, "127.0.0.1", "x.db", {}}).value();
  const auto& env = spec.processes[0].env;
  std::set<std::string> ports{env.at("MASTER_PORT"), env.at("DMLC_PS_ROOT_PORT")};
  const Json tf = Json::parse(env.at("TF_CONFIG"));
  for (const Json& address : tf["cluster"]["worker"]) {
    const auto text = address.get<std::string>();
    ports.insert(text.substr(text.find(':') + 1));
  }
  EXPECT_EQ(ports.size(), 802);
}

TEST(LaunchPlanTest, RunsOfTwoStoresHaveOtherPortsInALab) {
  core::Job job = TwoWorkerJob();
  const std::vector<PlannedPlace> places{{{"h0", "10.0.0.1", "/netns", {}}}};
  const auto port = [&](int64_t run, const char* store) {
    const auto spec = PlanLaunch({job, run, "/runs", places, "10.0.0.9", store, {}}).value();
    return spec.processes[0].env.at("MASTER_PORT");
  };
  EXPECT_EQ(port(1, "/a/reckon.db"), port(1, "/a/reckon.db"));
  EXPECT_NE(port(1, "/a/reckon.db"), port(1, "/b/reckon.db"));
  EXPECT_NE(port(1, "/a/reckon.db"), port(2, "/a/reckon.db"));
}

}  // namespace
}  // namespace reckon::app
