// Push and pull of a parameter server against plain TCP: the same bytes there and back on one
// connection of the loopback interface, in the same run.
//
//   ps_speed [ROUNDS]
//
// GB/s = (pushed + pulled bytes) / time of a round: of the median round, and the mean of the
// fastest third. "dropped" pushes with weight 0: received and forgotten, nothing is updated; "sgd"
// and "adam" update every parameter. Exits with 1 when a median is below 70 % of plain TCP's.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#include "net/tcp.h"
#include "train/ps/client.h"
#include "train/ps/server.h"

namespace {

using namespace reckon;
using Clock = std::chrono::steady_clock;

constexpr double kLeastShare = 0.7;

struct Seconds {
  double median = 0;
  double fast = 0;  // mean of the fastest third: what the code takes when nobody disturbs
};

template <typename Round>
Seconds TimeRounds(int rounds, Round round) {
  std::vector<double> seconds;
  for (int i = 0; i < rounds; ++i) {
    const auto begin = Clock::now();
    round();
    seconds.push_back(std::chrono::duration<double>(Clock::now() - begin).count());
  }
  std::sort(seconds.begin(), seconds.end());
  const size_t third = std::max<size_t>(1, seconds.size() / 3);
  double sum = 0;
  for (size_t i = 0; i < third; ++i) sum += seconds[i];
  return {seconds[seconds.size() / 2], sum / static_cast<double>(third)};
}

Seconds PlainSeconds(size_t bytes, int rounds) {
  net::Listener listener = net::Listener::Bind({"127.0.0.1", 0}).value();
  net::Stream client =
      net::Stream::Connect({"127.0.0.1", listener.port()}, std::chrono::seconds(5)).value();
  net::Stream server = listener.Accept().value();
  std::jthread answer([&] {
    std::vector<std::byte> buffer(bytes);
    while (server.Read(buffer).ok() && server.Write(buffer).ok()) {
    }
  });
  std::vector<std::byte> out(bytes, std::byte{1});
  std::vector<std::byte> in(bytes);
  const Seconds seconds = TimeRounds(rounds, [&] {
    client.Write(out).value();
    client.Read(in).value();
  });
  client.Shutdown();
  return seconds;
}

Seconds ServerSeconds(size_t bytes, int rounds, double weight, train::OptimiserOptions::Kind kind) {
  train::ServerOptions options;
  options.optimiser.kind = kind;
  options.optimiser.rate = 1e-9;
  base::Logger log(base::LogLevel::kWarn);
  const auto server = train::ParameterServer::Start(options, log).value();
  std::jthread serving([&] { server->Serve({}).value(); });
  std::vector<float> parameters(bytes / sizeof(float), 1);
  const std::vector<float> gradients(parameters.size(), 1e-3F);
  train::ParameterClient client =
      train::ParameterClient::Join({{{"127.0.0.1", server->port()}}}, parameters).value();
  const Seconds seconds =
      TimeRounds(rounds, [&] { (void)client.PushPull(weight, gradients, parameters).value(); });
  client.Leave();
  return seconds;
}

}  // namespace

int main(int argc, char** argv) {
  using Kind = train::OptimiserOptions::Kind;
  const int rounds = argc > 1 ? std::max(3, std::atoi(argv[1])) : 200;
  std::printf("GB/s: median, fastest third (median's share of plain TCP)\n");
  std::printf("%9s %12s %19s %19s %19s\n", "bytes", "plain TCP", "server, dropped", "server, sgd",
              "server, adam");
  bool fast_enough = true;
  for (const size_t kib : {256, 4096, 16384}) {
    const size_t bytes = kib * 1024;
    const int own_rounds = std::max(10, static_cast<int>(rounds * 1024 / kib));
    const double moved = 2e-9 * static_cast<double>(bytes);
    const Seconds plain = PlainSeconds(bytes, own_rounds);
    std::printf("%6zu KiB %6.2f %5.2f", kib, moved / plain.median, moved / plain.fast);
    for (const auto& [weight, kind] :
         {std::pair{0.0, Kind::kSgd}, {1.0, Kind::kSgd}, {1.0, Kind::kAdam}}) {
      const Seconds served = ServerSeconds(bytes, own_rounds, weight, kind);
      const double share = plain.median / served.median;
      std::printf(" %6.2f %5.2f (%3.0f %%)", moved / served.median, moved / served.fast,
                  100 * share);
      fast_enough &= share >= kLeastShare;
    }
    std::printf("\n");
  }
  if (fast_enough) return 0;
  std::printf("below %.0f %% of plain TCP\n", 100 * kLeastShare);
  return 1;
}
