// Parameter servers that run beside a test.
#pragma once

#include <chrono>
#include <memory>
#include <thread>
#include <vector>

#include "train/ps/client.h"
#include "train/ps/server.h"

namespace reckon::train {

using std::chrono::milliseconds;

// A server that runs beside the test.
class Running {
 public:
  explicit Running(const ServerOptions& options)
      : server_(ParameterServer::Start(options, log_).value()),
        thread_([this](const std::stop_token& stop) { outcome_ = server_->Serve(stop); }) {}

  net::Address address() const { return {"127.0.0.1", server_->port()}; }
  uint64_t steps() const { return server_->steps(); }
  base::Status Wait() {
    thread_.join();
    return outcome_;
  }
  base::Status Stop() {
    thread_.request_stop();
    return Wait();
  }

 private:
  base::Logger log_{base::LogLevel::kOff};
  std::unique_ptr<ParameterServer> server_;
  base::Status outcome_;
  std::jthread thread_;
};

inline ServerOptions Options(StepMode mode, size_t workers) {
  ServerOptions options;
  options.gate.mode = mode;
  options.gate.workers = workers;
  options.gate.patience = milliseconds(10'000);
  options.optimiser.rate = 0.1;
  return options;
}

inline ParameterClient Join(const std::vector<net::Address>& servers, size_t worker, size_t workers,
                            std::vector<float>& parameters) {
  ClientOptions options{servers, worker, workers, milliseconds(5000)};
  return ParameterClient::Join(options, parameters).value();
}

// The gradient of the mean of (x - target)^2 / 2.
inline std::vector<float> Towards(float target, const std::vector<float>& parameters) {
  std::vector<float> gradient;
  for (const float x : parameters) gradient.push_back(x - target);
  return gradient;
}

inline constexpr size_t kSize = 3 * ParameterTable::kChunk / 2;  // more than one chunk

}  // namespace reckon::train
