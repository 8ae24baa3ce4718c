// Workers and strangers that do what they should not, and servers that go away.
#include <atomic>
#include <list>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "tests/unit/train/running_server.h"
#include "train/ps/protocol.h"

namespace reckon::train {
namespace {

using std::chrono::steady_clock;
using ::testing::HasSubstr;

// One side of a conversation, message by message.
net::Stream Connect(const net::Address& server) {
  return net::Stream::Connect(server, milliseconds(2000)).value();
}

void Hello(net::Stream& stream, size_t worker, size_t workers, size_t size,
           const std::string& token = "") {
  const base::Json hello = {
      {"worker", worker}, {"workers", workers}, {"size", size}, {"token", token}};
  SendText(stream, MessageKind::kHello, hello.dump()).value();
}

void PushHalf(net::Stream& stream, const std::vector<float>& gradient, size_t sent) {
  const double weight = 1;
  const uint64_t bytes = sizeof weight + gradient.size() * sizeof(float);
  SendHead(stream, MessageKind::kPush, 0, bytes).value();
  stream.Write(std::as_bytes(std::span(&weight, 1)), std::as_bytes(std::span(gradient).first(sent)))
      .value();
}

// The next message that says more than to wait.
MessageHead Next(net::Stream& stream) {
  while (true) {
    const MessageHead head = ReadHead(stream).value();
    if (head.kind != MessageKind::kWait) return head;
  }
}

std::string Refusal(net::Stream& stream) {
  const MessageHead head = Next(stream);
  EXPECT_EQ(head.kind, MessageKind::kRefused);
  return ReadText(stream, head).value();
}

// Until `server` has made so many steps, at most two seconds.
bool HasSteps(const Running& server, uint64_t steps) {
  for (int i = 0; i < 200 && server.steps() < steps; ++i) {
    std::this_thread::sleep_for(milliseconds(10));
  }
  return server.steps() == steps;
}

// One worker validates five times as long as the other would wait for one that says nothing, and
// the other is not told that the server hangs.
TEST(ParameterServerFaultsTest, AWorkerThatMakesProgressIsNotTakenForHung) {
  for (const StepMode mode : {StepMode::kSync, StepMode::kAsync}) {
    ServerOptions options = Options(mode, 2);
    options.gate.patience = milliseconds(400);
    options.gate.staleness = mode == StepMode::kAsync ? std::optional<uint64_t>(0) : std::nullopt;
    options.silence = milliseconds(800);
    Running server(options);
    const auto join = [&](size_t worker, std::vector<float>& parameters) {
      return ParameterClient::Join({{server.address()}, worker, 2, milliseconds(400)}, parameters)
          .value();
    };
    std::vector<float> first(10, 1);
    std::vector<float> second(10, 1);
    ParameterClient waits = join(0, first);
    ParameterClient validates = join(1, second);
    std::jthread waiting([&] {
      const auto pushed = waits.PushPull(1, Towards(0, first), first);
      ASSERT_TRUE(pushed.ok()) << pushed.error().Describe();
      EXPECT_GT(pushed->update_s, 1.5);
      waits.Leave();
    });
    for (int batch = 0; batch < 40; ++batch) {
      std::this_thread::sleep_for(milliseconds(50));
      validates.Alive();
    }
    EXPECT_TRUE(validates.PushPull(1, Towards(0, second), second).ok());
    EXPECT_EQ(validates.reconnections(), 0U);
    validates.Leave();
    waiting.join();
    EXPECT_TRUE(server.Wait().ok());
  }
}

TEST(ParameterServerFaultsTest, AllWorkersMayBeLostAndComeBack) {
  ServerOptions options = Options(StepMode::kAsync, 1);
  options.silence = milliseconds(100);
  Running server(options);
  std::vector<float> parameters(10, 1);
  ParameterClient client = Join({server.address()}, 0, 1, parameters);
  ASSERT_TRUE(client.PushPull(1, Towards(0, parameters), parameters).ok());
  std::this_thread::sleep_for(milliseconds(500));
  const base::Status pulled = client.Pull(parameters);
  ASSERT_TRUE(pulled.ok()) << pulled.error().Describe();
  EXPECT_EQ(client.reconnections(), 1U);
  std::this_thread::sleep_for(milliseconds(500));
  const auto pushed = client.PushPull(1, Towards(0, parameters), parameters);
  ASSERT_TRUE(pushed.ok()) << pushed.error().Describe();
  EXPECT_EQ(client.reconnections(), 2U);
  client.Leave();
  EXPECT_TRUE(server.Wait().ok());
}

TEST(ParameterServerFaultsTest, AServerDoesNotWaitForLostWorkersLongerThanItsPatience) {
  ServerOptions options = Options(StepMode::kAsync, 1);
  options.gate.patience = milliseconds(300);
  Running server(options);
  std::vector<float> parameters(10, 1);
  const auto begin = steady_clock::now();
  { ParameterClient dies = Join({server.address()}, 0, 1, parameters); }
  EXPECT_TRUE(server.Wait().ok());
  EXPECT_GE(steady_clock::now() - begin, milliseconds(300));
}

// It is held back by staleness, or waits for the first parameters.
TEST(ParameterServerFaultsTest, AWorkerThatDiesWhileItWaitsMayComeBack) {
  for (const bool held : {true, false}) {
    ServerOptions options = Options(StepMode::kAsync, 2);
    options.gate.staleness = 0;
    Running server(options);
    std::vector<float> first(10, 1);
    std::vector<float> second(10, 1);
    std::optional<ParameterClient> client;
    if (held) client = Join({server.address()}, 0, 2, first);
    {
      net::Stream dies = Connect(server.address());
      Hello(dies, 1, 2, 10);
      if (held) {
        const MessageHead welcome = Next(dies);
        (void)ReadText(dies, welcome).value();
        PushHalf(dies, second, second.size());
        EXPECT_EQ(Next(dies).kind, MessageKind::kReceived);
      } else {
        EXPECT_EQ(ReadHead(dies)->kind, MessageKind::kWait);
      }
    }
    std::jthread brings([&] {
      std::this_thread::sleep_for(milliseconds(1000));
      if (!client) client = Join({server.address()}, 0, 2, first);
    });
    const auto back = ParameterClient::Join({{server.address()}, 1, 2, milliseconds(5000)}, second);
    ASSERT_TRUE(back.ok()) << back.error().Describe();
    EXPECT_EQ(back->pushed_before(), held ? 1U : 0U);
  }
}

// What was applied of it stays; it does not count.
TEST(ParameterServerFaultsTest, APushThatBreaksOffIsNotCounted) {
  Running server(Options(StepMode::kAsync, 1));
  std::vector<float> parameters(kSize, 1);
  { ParameterClient brings = Join({server.address()}, 0, 1, parameters); }
  {
    net::Stream dies = Connect(server.address());
    Hello(dies, 0, 1, kSize);
    (void)ReadText(dies, Next(dies)).value();
    PushHalf(dies, std::vector<float>(kSize, 1), ParameterTable::kChunk);
    ASSERT_TRUE(HasSteps(server, 1));
  }
  ParameterClient client = Join({server.address()}, 0, 1, parameters);
  EXPECT_EQ(client.pushed_before(), 0U);
  EXPECT_FLOAT_EQ(parameters.front(), 0.9F);
  EXPECT_EQ(parameters.back(), 1.0F);
  client.Leave();
  EXPECT_TRUE(server.Wait().ok());
}

// It dies before it has the parameters, but all of its gradients are in them.
TEST(ParameterServerFaultsTest, AWholePushIsCountedWhenItsWorkerDies) {
  Running server(Options(StepMode::kAsync, 1));
  // Far more than the sockets hold, and never read.
  constexpr size_t kMuch = 8'000'000;
  std::vector<float> parameters(kMuch, 1);
  { ParameterClient brings = Join({server.address()}, 0, 1, parameters); }
  {
    net::Stream dies = Connect(server.address());
    Hello(dies, 0, 1, kMuch);
    (void)ReadText(dies, Next(dies)).value();
    PushHalf(dies, std::vector<float>(kMuch, 1), kMuch);
    EXPECT_EQ(Next(dies).kind, MessageKind::kReceived);
  }
  ParameterClient client = Join({server.address()}, 0, 1, parameters);
  EXPECT_EQ(client.pushed_before(), 1U);
  EXPECT_FLOAT_EQ(parameters.back(), 0.9F);
  client.Leave();
  EXPECT_TRUE(server.Wait().ok());
}

// The one that comes first goes away again before it has told the parameters.
TEST(ParameterServerFaultsTest, AServerThatDiesTwiceIsFoundAgain) {
  ServerOptions options = Options(StepMode::kAsync, 1);
  auto server = std::make_unique<Running>(options);
  std::vector<float> parameters(10, 3);
  ParameterClient client = Join({server->address()}, 0, 1, parameters);
  options.listen = server->address();
  EXPECT_FALSE(server->Stop().ok());
  server.reset();
  std::jthread restarts([&] {
    {
      net::Listener listener = net::Listener::Bind(options.listen).value();
      net::Stream worker = listener.Accept().value();
      (void)ReadText(worker, ReadHead(worker).value()).value();
      SendText(worker, MessageKind::kWelcome, R"({"initialised": true})").value();
      EXPECT_EQ(ReadHead(worker)->kind, MessageKind::kPull);
    }
    std::this_thread::sleep_for(milliseconds(500));
    server = std::make_unique<Running>(options);
  });
  const auto pushed = client.PushPull(1, Towards(0, parameters), parameters);
  ASSERT_TRUE(pushed.ok()) << pushed.error().Describe();
  EXPECT_GT(pushed->push_s, 0.4);  // the wait is part of what the step took
  restarts.join();
  client.Leave();
  EXPECT_TRUE(server->Wait().ok());
}

TEST(ParameterServerFaultsTest, StoppingDoesNotWaitForTheFirstWorker) {
  Running server(Options(StepMode::kSync, 2));
  net::Stream waits = Connect(server.address());
  Hello(waits, 1, 2, 10);
  EXPECT_EQ(ReadHead(waits)->kind, MessageKind::kWait);
  const auto begin = steady_clock::now();
  EXPECT_EQ(server.Stop().error().code(), base::ErrorCode::kInterrupted);
  EXPECT_LT(steady_clock::now() - begin, milliseconds(3000));
  EXPECT_THAT(Refusal(waits), HasSubstr("the server was stopped"));
}

// In a synchronous run the loss of a worker would be the end of it.
TEST(ParameterServerFaultsTest, AStrangerWithoutTheTokenChangesNothing) {
  ServerOptions options = Options(StepMode::kSync, 1);
  options.token = "secret";
  Running server(options);
  for (const std::string token : {"", "secres", "secret2"}) {
    net::Stream stranger = Connect(server.address());
    Hello(stranger, 0, 1, 100'000'000, token);
    EXPECT_THAT(Refusal(stranger), HasSubstr("token"));
  }
  std::vector<float> parameters(10, 1);
  ClientOptions own{{server.address()}, 0, 1, milliseconds(5000), true, "secret"};
  ParameterClient client = ParameterClient::Join(own, parameters).value();
  ASSERT_TRUE(client.PushPull(1, Towards(0, parameters), parameters).ok());
  client.Leave();
  EXPECT_TRUE(server.Wait().ok());
}

TEST(ParameterServerFaultsTest, AGreetingWithAWrongNumberDoesNotDecideTheSize) {
  for (const size_t known : {0, 10}) {
    ServerOptions options = Options(StepMode::kSync, 1);
    options.size = known;
    Running server(options);
    net::Stream stranger = Connect(server.address());
    Hello(stranger, known == 0 ? 7 : 0, 1, 1'000'000);
    EXPECT_THAT(Refusal(stranger),
                HasSubstr(known == 0 ? "workers 0 to 0" : "this server keeps 10"));
    std::vector<float> parameters(10, 1);
    ParameterClient client = Join({server.address()}, 0, 1, parameters);
    client.Leave();
    EXPECT_TRUE(server.Wait().ok());
  }
}

TEST(ParameterServerFaultsTest, WhoSaysNothingMakesRoom) {
  ServerOptions options = Options(StepMode::kSync, 1);
  options.greeting = milliseconds(60'000);
  Running server(options);
  std::list<net::Stream> silent;
  for (int i = 0; i < 200; ++i) silent.push_back(Connect(server.address()));
  std::vector<float> parameters(10, 1);
  ParameterClient client = Join({server.address()}, 0, 1, parameters);
  // The first ones were dismissed, the last ones were not.
  silent.front().set_patience(milliseconds(5000));
  EXPECT_EQ(ReadHead(silent.front()).error().code(), base::ErrorCode::kUnavailable);
  silent.back().set_patience(milliseconds(50));
  EXPECT_EQ(ReadHead(silent.back()).error().code(), base::ErrorCode::kFailed);
  ASSERT_TRUE(client.PushPull(1, Towards(0, parameters), parameters).ok());
  client.Leave();
  EXPECT_TRUE(server.Wait().ok());
}

TEST(ParameterServerFaultsTest, AGreetingHasALimit) {
  ServerOptions options = Options(StepMode::kSync, 1);
  options.greeting = milliseconds(100);
  Running server(options);
  net::Stream silent = Connect(server.address());
  silent.set_patience(milliseconds(5000));
  EXPECT_THAT(Refusal(silent), HasSubstr("stood still for 0.1 s"));
}

// With two batches of 10 and 20 of one step, the one by one move as far as their mean.
TEST(ParameterServerFaultsTest, AsynchronousGradientsCountByTheirWeight) {
  ServerOptions options = Options(StepMode::kAsync, 1);
  Running server(options);
  std::vector<float> parameters(kSize, 0);
  ParameterClient client = Join({server.address()}, 0, 1, parameters);
  ASSERT_TRUE(client.PushPull(10 * 2 / 30.0, std::vector<float>(kSize, 3), parameters).ok());
  EXPECT_NEAR(parameters.front(), -0.2, 1e-6);
  ASSERT_TRUE(client.PushPull(20 * 2 / 30.0, std::vector<float>(kSize, 3), parameters).ok());
  EXPECT_NEAR(parameters.back(), -0.6, 1e-6);
  client.Leave();
  EXPECT_TRUE(server.Wait().ok());
}

// A server that takes its time with each part of an exchange.
TEST(ParameterServerFaultsTest, TheTimesOfAnExchangeAreThoseOfItsParts) {
  const std::vector<float> values(10, 2);
  net::Listener listener = net::Listener::Bind({"127.0.0.1", 0}).value();
  std::jthread slow([&] {
    net::Stream worker = listener.Accept().value();
    (void)ReadText(worker, ReadHead(worker).value()).value();
    SendText(worker, MessageKind::kWelcome, R"({"initialised": true})").value();
    EXPECT_EQ(ReadHead(worker)->kind, MessageKind::kPull);
    SendFloats(worker, MessageKind::kParameters, values).value();
    for (const uint64_t overlapped_us : {0, 200'000}) {
      const MessageHead push = ReadHead(worker).value();
      std::vector<std::byte> body(push.bytes);
      worker.Read(body).value();
      std::this_thread::sleep_for(milliseconds(300));
      SendHead(worker, MessageKind::kReceived, overlapped_us, 0).value();
      std::this_thread::sleep_for(milliseconds(600));
      SendHead(worker, MessageKind::kParameters, 1, values.size() * sizeof(float)).value();
      std::this_thread::sleep_for(milliseconds(900));
      worker.Write(std::as_bytes(std::span(values))).value();
    }
  });
  std::vector<float> parameters(10, 1);
  ParameterClient client = Join({{"127.0.0.1", listener.port()}}, 0, 1, parameters);
  const auto plain = client.PushPull(1, values, parameters).value();
  EXPECT_NEAR(plain.push_s, 0.3, 0.2);
  EXPECT_NEAR(plain.update_s, 0.6, 0.2);
  EXPECT_NEAR(plain.pull_s, 0.9, 0.2);
  // The server has updated while it received.
  const auto overlapped = client.PushPull(1, values, parameters).value();
  EXPECT_LT(overlapped.push_s, 0.29);
  EXPECT_GE(overlapped.update_s, 0.8);
}

}  // namespace
}  // namespace reckon::train
