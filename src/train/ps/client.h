// A worker's side of the parameter servers.
#pragma once

#include <chrono>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "net/tcp.h"

namespace reckon::train {

struct ClientOptions {
  std::vector<net::Address> servers;  // each keeps a part of the parameters, in this order
  size_t worker = 0;
  size_t workers = 1;
  // How long to try to reach a server, also again when it was restarted. One that says nothing is
  // given twice as long: it may wait for other workers itself.
  std::chrono::milliseconds patience{30'000};
  // Workers in step cannot go on with a server that lost some of it: one that went away is not
  // tried again.
  bool in_step = false;
  std::string token;  // what the servers expect to hear; empty: nothing
};

// What one exchange took, in seconds, and how much went over the wire. With several servers the
// longest of each. The time it took to find a server again that went away counts as push.
struct ExchangeTimes {
  double push_s = 0;
  double update_s = 0;  // synchronous: with the wait for the other workers
  double pull_s = 0;
  uint64_t bytes_sent = 0;
  uint64_t bytes_received = 0;
  uint64_t server_steps = 0;  // that the parameters have behind them
  bool ends = false;          // in step: some worker wants the training to end
};

// The parameters of a network lie in one vector; server i of n keeps the i-th of n ranges that
// differ in size by at most one. For one thread.
class ParameterClient {
 public:
  // Connects to all servers. Where they have no values yet, worker 0 brings `parameters` and the
  // others wait; then `parameters` becomes what the servers have. kUnavailable: a server cannot be
  // reached; kFailed: it refused, with the reason.
  static base::Result<ParameterClient> Join(const ClientOptions& options,
                                            std::span<float> parameters);

  // Pushes gradients and pulls what became of the parameters. `weight` is what the gradients count:
  // in synchronous runs against those of others in the same step, in asynchronous ones against a
  // worker's usual share; 0: nothing to add. Workers in step hear whether any of them wants_end. A
  // server that went away is tried again within the patience; its part of this push is then lost.
  // kFailed when a server stands still.
  base::Result<ExchangeTimes> PushPull(double weight, std::span<const float> gradients,
                                       std::span<float> parameters, bool wants_end = false);
  base::Status Pull(std::span<float> parameters);
  // For work that takes no messages, such as validation: called as often as it makes progress, it
  // keeps the servers from taking this worker for hung.
  void Alive();
  // No more pushes will come.
  void Leave();

  // Steps that the servers had applied when they last sent parameters: the most of them.
  uint64_t server_steps() const { return server_steps_; }
  size_t reconnections() const { return reconnections_; }
  // Gradients that the servers had of this worker when it joined: more than 0 when it comes back.
  uint64_t pushed_before() const { return pushed_before_; }

 private:
  struct Part {
    net::Stream stream;
    size_t begin = 0;
    size_t size = 0;
  };

  ParameterClient(ClientOptions options, std::vector<Part> parts);
  base::Status PullPart(Part& part, std::span<float> parameters);
  base::Status Exchange(Part& part, double weight, std::span<const float> gradients,
                        std::span<float> parameters, bool wants_end, ExchangeTimes& times);
  base::Status Return(base::Error why, size_t index, std::span<float> parameters);

  ClientOptions options_;
  std::vector<Part> parts_;
  std::chrono::steady_clock::time_point spoke_;  // to all servers, for the last time
  uint64_t server_steps_ = 0;
  uint64_t pushed_before_ = 0;
  size_t reconnections_ = 0;
};

}  // namespace reckon::train
