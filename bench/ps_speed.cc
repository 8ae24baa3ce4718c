// Push and pull of a parameter server against plain TCP: the same bytes there and back on one
// connection of the loopback interface, in the same run.
//
//   ps_speed [ROUNDS]
//
// GB/s = (pushed + pulled bytes) / time of the fastest third of the rounds. "copy" pushes with
// weight 0, so that nothing is updated; "sgd" and "adam" update every parameter. ps-lite reached
// 0.92, 1.42 and 1.23 GB/s at 256 KiB, 4 MiB and 16 MiB on a machine of this kind.
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

// Mean of the fastest third, in seconds: what the code takes when nobody disturbs.
template <typename Round>
double FastRound(int rounds, Round round) {
  std::vector<double> seconds;
  for (int i = 0; i < rounds; ++i) {
    const auto begin = Clock::now();
    round(i);
    seconds.push_back(std::chrono::duration<double>(Clock::now() - begin).count());
  }
  std::sort(seconds.begin(), seconds.end());
  const size_t third = std::max<size_t>(1, seconds.size() / 3);
  double sum = 0;
  for (size_t i = 0; i < third; ++i) sum += seconds[i];
  return sum / static_cast<double>(third);
}

double PlainSeconds(size_t bytes, int rounds) {
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
  const double seconds = FastRound(rounds, [&](int) {
    client.Write(out).value();
    client.Read(in).value();
  });
  client.Shutdown();
  return seconds;
}

double ServerSeconds(size_t bytes, int rounds, double weight, train::OptimiserOptions::Kind kind) {
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
  const double seconds = FastRound(
      rounds, [&](int i) { (void)client.PushPull(weight, gradients, parameters).value(); });
  client.Leave();
  return seconds;
}

}  // namespace

int main(int argc, char** argv) {
  using Kind = train::OptimiserOptions::Kind;
  const int rounds = argc > 1 ? std::max(3, std::atoi(argv[1])) : 200;
  std::printf("%9s %12s %18s %18s %18s   GB/s (share of plain TCP)\n", "bytes", "plain TCP",
              "server, copy", "server, sgd", "server, adam");
  for (const size_t kib : {256, 4096, 16384}) {
    const size_t bytes = kib * 1024;
    const int own_rounds = std::max(10, static_cast<int>(rounds * 1024 / kib));
    const double moved = 2e-9 * static_cast<double>(bytes);
    const double plain = PlainSeconds(bytes, own_rounds);
    std::printf("%6zu KiB %12.2f", kib, moved / plain);
    for (const auto& [weight, kind] :
         {std::pair{0.0, Kind::kSgd}, {1.0, Kind::kSgd}, {1.0, Kind::kAdam}}) {
      const double seconds = ServerSeconds(bytes, own_rounds, weight, kind);
      std::printf(" %10.2f (%3.0f %%)", moved / seconds, 100 * plain / seconds);
    }
    std::printf("\n");
  }
  return 0;
}
