// Push and pull of a parameter server against plain TCP: the same bytes there and back on one
// connection of the loopback interface, round by round in turn, so that both meet the same machine.
//
//   ps_speed [ROUNDS]
//
// GB/s = (pushed + pulled bytes) / time of a round: of the median round, and the mean of the
// fastest third. "dropped" pushes with weight 0: received and forgotten, nothing is updated; "sgd"
// and "adam" update every parameter. Exits with 1 when the median of sgd, which costs little more
// than storing what comes, is below 70 % of plain TCP's.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <numeric>
#include <thread>
#include <vector>

#include "net/tcp.h"
#include "train/ps/client.h"
#include "train/ps/server.h"

namespace {

using namespace reckon;
using Clock = std::chrono::steady_clock;

constexpr double kLeastShare = 0.7;

// Something that takes so many bytes and gives as many.
class Peer {
 public:
  virtual ~Peer() = default;

  void TimeRound() {
    const auto begin = Clock::now();
    Round();
    seconds_.push_back(std::chrono::duration<double>(Clock::now() - begin).count());
  }
  double Median() {
    std::sort(seconds_.begin(), seconds_.end());
    return seconds_[seconds_.size() / 2];
  }
  // What the code takes when nobody disturbs.
  double Fast() {
    std::sort(seconds_.begin(), seconds_.end());
    const size_t third = std::max<size_t>(1, seconds_.size() / 3);
    const auto end = seconds_.begin() + static_cast<ptrdiff_t>(third);
    return std::accumulate(seconds_.begin(), end, 0.0) / static_cast<double>(third);
  }

 private:
  virtual void Round() = 0;

  std::vector<double> seconds_;
};

class PlainTcp final : public Peer {
 public:
  explicit PlainTcp(size_t bytes)
      : out_(bytes, std::byte{1}),
        in_(bytes),
        listener_(net::Listener::Bind({"127.0.0.1", 0}).value()),
        client_(
            net::Stream::Connect({"127.0.0.1", listener_.port()}, std::chrono::seconds(5)).value()),
        server_(listener_.Accept().value()),
        answer_([this, bytes] {
          std::vector<std::byte> buffer(bytes);
          while (server_.Read(buffer).ok() && server_.Write(buffer).ok()) {
          }
        }) {}
  ~PlainTcp() override { client_.Shutdown(); }

 private:
  void Round() override {
    client_.Write(out_).value();
    client_.Read(in_).value();
  }

  std::vector<std::byte> out_;
  std::vector<std::byte> in_;
  net::Listener listener_;
  net::Stream client_;
  net::Stream server_;
  std::jthread answer_;
};

class Served final : public Peer {
 public:
  Served(size_t bytes, double weight, train::OptimiserOptions::Kind kind)
      : weight_(weight),
        parameters_(bytes / sizeof(float), 1),
        gradients_(parameters_.size(), 1e-3F),
        server_(train::ParameterServer::Start(Options(kind), log_).value()),
        serving_([this] { server_->Serve({}).value(); }),
        client_(
            train::ParameterClient::Join({{{"127.0.0.1", server_->port()}}}, parameters_).value()) {
  }
  ~Served() override { client_.Leave(); }

 private:
  static train::ServerOptions Options(train::OptimiserOptions::Kind kind) {
    train::ServerOptions options;
    options.optimiser.kind = kind;
    options.optimiser.rate = 1e-9;
    return options;
  }

  void Round() override { (void)client_.PushPull(weight_, gradients_, parameters_).value(); }

  const double weight_;
  std::vector<float> parameters_;
  const std::vector<float> gradients_;
  base::Logger log_{base::LogLevel::kWarn};
  std::unique_ptr<train::ParameterServer> server_;
  std::jthread serving_;
  train::ParameterClient client_;
};

}  // namespace

int main(int argc, char** argv) {
  using Kind = train::OptimiserOptions::Kind;
  const int rounds = argc > 1 ? std::max(3, std::atoi(argv[1])) : 1000;
  std::printf("GB/s: median, fastest third (median's share of plain TCP)\n");
  std::printf("%10s %12s %21s %21s %21s\n", "bytes", "plain TCP", "server, dropped", "server, sgd",
              "server, adam");
  bool fast_enough = true;
  for (const size_t kib : {256, 4096, 16384}) {
    const size_t bytes = kib * 1024;
    const int own_rounds = std::max(10, static_cast<int>(rounds * 1024 / kib));
    const double moved = 2e-9 * static_cast<double>(bytes);
    PlainTcp plain(bytes);
    Served dropped(bytes, 0, Kind::kSgd);
    Served sgd(bytes, 1, Kind::kSgd);
    Served adam(bytes, 1, Kind::kAdam);
    const std::vector<Peer*> peers{&plain, &dropped, &sgd, &adam};
    for (int i = 0; i < own_rounds; ++i) {
      for (Peer* peer : peers) peer->TimeRound();
    }
    std::printf("%6zu KiB %6.2f %5.2f", kib, moved / plain.Median(), moved / plain.Fast());
    for (Peer* served : {&dropped, &sgd, &adam}) {
      std::printf(" %7.2f %5.2f (%3.0f %%)", moved / served->Median(), moved / served->Fast(),
                  100 * plain.Median() / served->Median());
    }
    std::printf("\n");
    fast_enough &= plain.Median() / sgd.Median() >= kLeastShare;
  }
  if (fast_enough) return 0;
  std::printf("sgd: below %.0f %% of plain TCP\n", 100 * kLeastShare);
  return 1;
}
