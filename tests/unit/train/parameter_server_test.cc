// Workers and servers over real sockets.
#include <atomic>
#include <cmath>
#include <thread>

#include <gmock/gmock.h>

#include "base/file.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/train/running_server.h"
#include "train/ps/checkpoint.h"
#include "train/ps/client.h"
#include "train/ps/protocol.h"
#include "train/ps/server.h"

namespace reckon::train {
namespace {

using ::testing::HasSubstr;

TEST(ParameterServerTest, AsynchronousWorkersFindTheMinimumTogether) {
  Running server(Options(StepMode::kAsync, 3));
  const auto work = [&](size_t worker) {
    std::vector<float> parameters(kSize, worker == 0 ? 5.0F : -1.0F);
    ParameterClient client = Join({server.address()}, worker, 3, parameters);
    EXPECT_NE(parameters[0], -1.0F);  // the others begin with what the first brought
    for (uint64_t step = 0; step < 60; ++step) {
      const auto times = client.PushPull(1, Towards(2, parameters), parameters).value();
      EXPECT_EQ(times.bytes_sent, kSize * sizeof(float));
    }
    client.Leave();
    for (const size_t i : {size_t{0}, kSize / 2, kSize - 1}) EXPECT_NEAR(parameters[i], 2, 0.02);
  };
  {
    std::vector<std::jthread> workers;
    for (size_t i = 0; i < 3; ++i) workers.emplace_back(work, i);
  }
  EXPECT_TRUE(server.Wait().ok());
  EXPECT_EQ(server.steps(), 180U);
}

TEST(ParameterServerTest, ASynchronousStepIsOneOfTheWeightedMean) {
  for (const size_t servers : {1, 2}) {
    std::vector<std::unique_ptr<Running>> running;
    std::vector<net::Address> addresses;
    for (size_t s = 0; s < servers; ++s) {
      running.push_back(std::make_unique<Running>(Options(StepMode::kSync, 3)));
      addresses.push_back(running.back()->address());
    }
    const std::vector<double> weights{1, 3, 0};
    std::vector<std::vector<float>> parameters(3, std::vector<float>(kSize, 0));
    parameters[0].assign(kSize, 1);
    const auto work = [&](size_t worker) {
      ParameterClient client = Join(addresses, worker, 3, parameters[worker]);
      for (uint64_t step = 0; step < 5; ++step) {
        const std::vector<float> gradient(kSize, worker == 0 ? 4.0F : worker == 1 ? 8.0F : 1e9F);
        ASSERT_TRUE(client.PushPull(weights[worker], gradient, parameters[worker]).ok());
        // (1 * 4 + 3 * 8) / 4 = 7, at a rate of 0.1.
        EXPECT_NEAR(parameters[worker].front(), 1 - 0.7 * (static_cast<double>(step) + 1), 1e-5);
        EXPECT_EQ(parameters[worker].front(), parameters[worker].back());
      }
      client.Leave();
    };
    {
      std::vector<std::jthread> workers;
      for (size_t i = 0; i < 3; ++i) workers.emplace_back(work, i);
    }
    EXPECT_EQ(parameters[0], parameters[1]);
    EXPECT_EQ(parameters[0], parameters[2]);
    for (const auto& server : running) EXPECT_TRUE(server->Wait().ok());
  }
}

TEST(ParameterServerTest, WorkersInStepHearTogetherThatOneWantsToEnd) {
  for (const size_t servers : {1, 2}) {
    std::vector<std::unique_ptr<Running>> running;
    std::vector<net::Address> addresses;
    for (size_t s = 0; s < servers; ++s) {
      running.push_back(std::make_unique<Running>(Options(StepMode::kSync, 3)));
      addresses.push_back(running.back()->address());
    }
    const auto work = [&](size_t worker) {
      std::vector<float> parameters(kSize, 1);
      const std::vector<float> gradient(kSize, 0.5F);
      ParameterClient client = Join(addresses, worker, 3, parameters);
      for (uint64_t step = 0; step < 6; ++step) {
        const bool wants = worker == 2 && step == 3;
        const auto times = client.PushPull(1, gradient, parameters, wants);
        ASSERT_TRUE(times.ok()) << times.error().Describe();
        EXPECT_EQ(times->ends, step == 3) << worker << " " << step;
        EXPECT_EQ(times->server_steps, step + 1);
      }
      client.Leave();
    };
    {
      std::vector<std::jthread> workers;
      for (size_t i = 0; i < 3; ++i) workers.emplace_back(work, i);
    }
    for (const auto& server : running) EXPECT_TRUE(server->Wait().ok());
  }
}

TEST(ParameterServerTest, AsynchronousRunsGoOnWithoutADeadWorker) {
  Running server(Options(StepMode::kAsync, 2));
  std::vector<float> first(10, 1);
  std::vector<float> second(10, 1);
  ParameterClient client = Join({server.address()}, 0, 2, first);
  {
    ParameterClient dies = Join({server.address()}, 1, 2, second);
    ASSERT_TRUE(dies.PushPull(1, Towards(0, second), second).ok());
  }
  for (uint64_t step = 0; step < 10; ++step) {
    ASSERT_TRUE(client.PushPull(1, Towards(0, first), first).ok());
  }
  // And one of its number may come back.
  ParameterClient returned = Join({server.address()}, 1, 2, second);
  EXPECT_EQ(second, first);
  // It learns how far it had come.
  EXPECT_EQ(returned.pushed_before(), 1U);
  EXPECT_EQ(client.pushed_before(), 0U);
  returned.Leave();
  client.Leave();
  EXPECT_TRUE(server.Wait().ok());
  EXPECT_EQ(server.steps(), 11U);
}

TEST(ParameterServerTest, AsynchronousRunsBeginWithoutADeadFirstWorker) {
  ServerOptions options = Options(StepMode::kAsync, 3);
  options.gate.patience = milliseconds(200);
  Running server(options);
  std::vector<float> second(kSize, 1);
  std::vector<float> third(kSize, 1);
  std::jthread other([&] {
    ParameterClient client = Join({server.address()}, 2, 3, third);
    EXPECT_TRUE(client.PushPull(1, Towards(0, third), third).ok());
  });
  ParameterClient client = Join({server.address()}, 1, 3, second);
  EXPECT_TRUE(client.PushPull(1, Towards(0, second), second).ok());
  other.join();
  EXPECT_EQ(server.steps(), 2U);
}

TEST(ParameterServerTest, AsynchronousRunsEndWithoutAWorkerThatNeverComes) {
  ServerOptions options = Options(StepMode::kAsync, 2);
  options.silence = milliseconds(200);
  Running server(options);
  std::this_thread::sleep_for(milliseconds(700));  // those who come late are waited for
  std::vector<float> first(10, 1);
  ParameterClient client = Join({server.address()}, 0, 2, first);
  ASSERT_TRUE(client.PushPull(1, Towards(0, first), first).ok());
  client.Leave();
  EXPECT_TRUE(server.Wait().ok());
  EXPECT_EQ(server.steps(), 1U);
}

TEST(ParameterServerTest, SynchronousRunsEndWithTheReasonWhenAWorkerDies) {
  Running server(Options(StepMode::kSync, 2));
  std::vector<float> first(10, 1);
  std::vector<float> second(10, 1);
  ParameterClient client = Join({server.address()}, 0, 2, first);
  { ParameterClient dies = Join({server.address()}, 1, 2, second); }
  const auto pushed = client.PushPull(1, Towards(0, first), first);
  ASSERT_FALSE(pushed.ok());
  EXPECT_THAT(pushed.error().Describe(), HasSubstr("worker 1 was lost in step 1"));
  EXPECT_THAT(server.Wait().error().Describe(), HasSubstr("worker 1 was lost in step 1"));
}

TEST(ParameterServerTest, SynchronousRunsEndWhenAWorkerHangsOrNeverComes) {
  for (const bool comes : {true, false}) {
    ServerOptions options = Options(StepMode::kSync, 2);
    options.gate.patience = milliseconds(200);
    Running server(options);
    std::vector<float> first(10, 1);
    std::vector<float> second(10, 1);
    ParameterClient client = Join({server.address()}, 0, 2, first);
    std::optional<ParameterClient> hangs;
    if (comes) hangs = Join({server.address()}, 1, 2, second);
    const auto pushed = client.PushPull(1, Towards(0, first), first);
    ASSERT_FALSE(pushed.ok());
    EXPECT_THAT(pushed.error().Describe(), HasSubstr("no gradients of worker 1"));
    EXPECT_EQ(pushed.error().Describe().find("never came") == std::string::npos, comes);
    EXPECT_FALSE(server.Wait().ok());
  }
}

TEST(ParameterServerTest, NobodyRunsTooFarAhead) {
  ServerOptions options = Options(StepMode::kAsync, 2);
  options.gate.staleness = 2;
  Running server(options);
  std::vector<float> fast(10, 1);
  std::vector<float> slow(10, 1);
  ParameterClient fast_client = Join({server.address()}, 0, 2, fast);
  ParameterClient slow_client = Join({server.address()}, 1, 2, slow);
  std::atomic<int> ahead = 0;
  std::jthread runner([&] {
    for (uint64_t step = 0; step < 8; ++step) {
      ASSERT_TRUE(fast_client.PushPull(1, Towards(0, fast), fast).ok());
      ++ahead;
    }
    fast_client.Leave();
  });
  for (int step = 0; step < 6; ++step) {
    std::this_thread::sleep_for(milliseconds(20));
    EXPECT_LE(ahead, step + 2);
    ASSERT_TRUE(slow_client.PushPull(1, Towards(0, slow), slow).ok());
  }
  slow_client.Leave();
  runner.join();
  EXPECT_TRUE(server.Wait().ok());
}

TEST(ParameterServerTest, ARestartedServerIsWhereItWas) {
  const support::TempFolder folder;
  ServerOptions options = Options(StepMode::kAsync, 1);
  options.checkpoint = folder / "ps.checkpoint";
  options.checkpoint_every = milliseconds(20);
  options.optimiser.kind = OptimiserOptions::Kind::kAdam;
  std::vector<float> parameters(kSize, 3);
  auto server = std::make_unique<Running>(options);
  ParameterClient client = Join({server->address()}, 0, 1, parameters);
  for (uint64_t step = 0; step < 5; ++step) {
    ASSERT_TRUE(client.PushPull(1, Towards(0, parameters), parameters).ok());
  }
  const std::vector<float> before = parameters;
  options.listen = server->address();
  EXPECT_EQ(server->Stop().error().code(), base::ErrorCode::kInterrupted);
  server.reset();
  server = std::make_unique<Running>(options);
  EXPECT_EQ(server->steps(), 5U);
  // The push that finds the old server gone is lost; the worker goes on with what the new one has.
  ASSERT_TRUE(client.PushPull(1, Towards(0, parameters), parameters).ok());
  EXPECT_EQ(client.reconnections(), 1U);
  EXPECT_EQ(parameters, before);
  ASSERT_TRUE(client.PushPull(1, Towards(0, parameters), parameters).ok());
  EXPECT_NE(parameters, before);
  EXPECT_EQ(client.server_steps(), 6U);
  client.Leave();
  EXPECT_TRUE(server->Wait().ok());
  EXPECT_EQ(ReadCheckpoint(options.checkpoint)->optimiser.steps, 6U);
  EXPECT_THAT(ReadCheckpoint(options.checkpoint)->pushed, ::testing::ElementsAre(6U));
}

// As at the end of a worker's training, when it has not said anything for a while.
TEST(ParameterServerTest, APullFindsARestartedServer) {
  const support::TempFolder folder;
  ServerOptions options = Options(StepMode::kAsync, 1);
  options.checkpoint = folder / "ps.checkpoint";
  std::vector<float> parameters(kSize, 3);
  auto server = std::make_unique<Running>(options);
  ParameterClient client = Join({server->address()}, 0, 1, parameters);
  ASSERT_TRUE(client.PushPull(1, Towards(0, parameters), parameters).ok());
  options.listen = server->address();
  EXPECT_FALSE(server->Stop().ok());
  server.reset();
  server = std::make_unique<Running>(options);
  std::vector<float> pulled(kSize, 0);
  ASSERT_TRUE(client.Pull(pulled).ok());
  EXPECT_EQ(pulled, parameters);
  client.Leave();
  EXPECT_TRUE(server->Wait().ok());
}

// Neither is tried again: the one would wait as long once more, the other has lost steps.
TEST(ParameterServerTest, AHungServerAndOneOfWorkersInStepAreTheEnd) {
  const auto silent = net::Listener::Bind({"127.0.0.1", 0}).value();
  std::vector<float> parameters(10, 3);
  const net::Address address{"127.0.0.1", silent.port()};
  const auto begin = std::chrono::steady_clock::now();
  const auto joined = ParameterClient::Join({{address}, 0, 1, milliseconds(200)}, parameters);
  ASSERT_FALSE(joined.ok());
  EXPECT_THAT(joined.error().Describe(), HasSubstr("stood still for 0.3 s"));
  EXPECT_THAT(joined.error().Describe(), HasSubstr(address.ToText()));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(3));

  auto server = std::make_unique<Running>(Options(StepMode::kSync, 1));
  ParameterClient client =
      ParameterClient::Join({{server->address()}, 0, 1, milliseconds(60'000), true}, parameters)
          .value();
  EXPECT_FALSE(server->Stop().ok());
  server.reset();
  const auto pushed = client.PushPull(1, Towards(0, parameters), parameters);
  ASSERT_FALSE(pushed.ok());
  EXPECT_THAT(pushed.error().Describe(), HasSubstr("parameter server 127.0.0.1:"));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(30));
}

TEST(ParameterServerTest, StrangersAreRefusedAndTheRunGoesOn) {
  Running server(Options(StepMode::kAsync, 1));
  {
    net::Stream greedy = net::Stream::Connect(server.address(), milliseconds(2000)).value();
    ASSERT_TRUE(SendText(greedy, MessageKind::kHello,
                         R"({"worker": 0, "workers": 1, "size": 900000000000000})")
                    .ok());
    EXPECT_EQ(ReadHead(greedy)->kind, MessageKind::kRefused);
  }
  std::vector<float> parameters(10, 1);
  ParameterClient client = Join({server.address()}, 0, 1, parameters);
  const auto refused = [&](size_t worker, size_t workers, size_t size) {
    std::vector<float> other(size, 1);
    const auto joined =
        ParameterClient::Join({{server.address()}, worker, workers, milliseconds(2000)}, other);
    EXPECT_FALSE(joined.ok());
    return joined.ok() ? "" : joined.error().Describe();
  };
  EXPECT_THAT(refused(0, 1, 10), HasSubstr("worker 0 is here already"));
  EXPECT_THAT(refused(1, 1, 10), HasSubstr("this run has workers 0 to 0"));
  EXPECT_THAT(refused(0, 2, 10), HasSubstr("this server serves 1"));
  EXPECT_THAT(refused(0, 1, 11), HasSubstr("this server keeps 10"));
  {
    net::Stream noise = net::Stream::Connect(server.address(), milliseconds(2000)).value();
    const std::string text = "GET / HTTP/1.1\r\nHost: nobody\r\n\r\n";
    ASSERT_TRUE(noise.Write(std::as_bytes(std::span(text))).ok());
    EXPECT_EQ(ReadHead(noise)->kind, MessageKind::kRefused);
  }
  ASSERT_TRUE(client.PushPull(1, Towards(0, parameters), parameters).ok());
  client.Leave();
  EXPECT_TRUE(server.Wait().ok());
}

TEST(CheckpointTest, DamageIsNoticed) {
  const support::TempFolder folder;
  ParameterTable table({.kind = OptimiserOptions::Kind::kAdam}, 100);
  table.Initialise(std::vector<float>(100, 2.5F));
  table.Apply(table.BeginStep(), 0, std::vector<float>(100, 1));
  const auto path = folder / "c";
  ASSERT_TRUE(WriteCheckpoint(path, table.Take()).ok());
  const auto again = ReadCheckpoint(path).value();
  EXPECT_EQ(again.parameters, table.Take().parameters);
  EXPECT_EQ(again.optimiser.second, table.Take().optimiser.second);
  const std::string good = base::ReadFile(path).value();
  for (size_t cut = 0; cut < good.size(); cut += 37) {
    ASSERT_TRUE(base::WriteFile(path, good.substr(0, cut)).ok());
    EXPECT_EQ(ReadCheckpoint(path).error().code(), base::ErrorCode::kCorrupt) << cut;
  }
  std::string flipped = good;
  flipped[good.size() - 10] ^= 1;
  ASSERT_TRUE(base::WriteFile(path, flipped).ok());
  EXPECT_THAT(ReadCheckpoint(path).error().Describe(), HasSubstr("checksum"));
}

}  // namespace
}  // namespace reckon::train
