// A parameter server: keeps a part of a model's parameters, applies what workers push, and survives
// those who die.
#pragma once

#include <atomic>
#include <condition_variable>
#include <filesystem>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>

#include "base/log.h"
#include "base/result.h"
#include "net/tcp.h"
#include "train/optimiser.h"
#include "train/ps/checkpoint.h"
#include "train/ps/parameter_table.h"
#include "train/ps/protocol.h"
#include "train/ps/step_gate.h"

namespace reckon::train {

struct ServerOptions {
  net::Address listen{"127.0.0.1", 0};
  GateOptions gate;
  OptimiserOptions optimiser;
  // A worker that says nothing for so long is lost. Longer than any step takes.
  std::chrono::milliseconds silence{60'000};
  // Who connects has so long to say who it is.
  std::chrono::milliseconds greeting{10'000};
  // Workers say it when they come; empty: anybody is taken for a worker.
  std::string token;
  // Parameters that it is to keep; 0: as many as the first worker says.
  size_t size = 0;
  std::filesystem::path checkpoint;                    // empty: none
  std::chrono::milliseconds checkpoint_every{10'000};  // asynchronous
  uint64_t checkpoint_steps = 0;  // synchronous: after every so many; 0: at the end alone
};

// Serves until every worker has left, `stop` is requested, or the run cannot go on.
class ParameterServer {
 public:
  // Binds the port, and reads the checkpoint if there is one. kUnavailable: the port is taken.
  // `log` outlives it.
  static base::Result<std::unique_ptr<ParameterServer>> Start(const ServerOptions& options,
                                                              base::Logger& log);
  ~ParameterServer();
  ParameterServer(const ParameterServer&) = delete;
  ParameterServer& operator=(const ParameterServer&) = delete;

  uint16_t port() const { return listener_.port(); }
  // ok when all workers have left; kInterrupted on stop; kFailed with the reason when a synchronous
  // run ends early. The last checkpoint is written in any case.
  base::Status Serve(const std::stop_token& stop);
  // Steps applied so far.
  uint64_t steps() const;

 private:
  ParameterServer(const ServerOptions& options, base::Logger& log, net::Listener listener);

  struct Connection {
    enum class Stage { kStranger, kWorker, kDismissed, kDone };
    net::Stream stream;
    std::jthread thread;
    Stage stage = Stage::kStranger;  // guarded by mutex_
  };
  // What a synchronous step waits for: gradients by worker, in the order of workers.
  struct Contribution {
    std::vector<float> gradient;
    double weight = 0;
    bool wants_end = false;
  };

  void Accept();
  void DismissStranger();
  void Take(net::Stream stream);
  void Talk(Connection& connection);
  void End(base::Error why);
  base::Status Converse(Connection& connection, std::optional<size_t>& worker);
  void AwaitEnd(std::unique_lock<std::mutex>& lock, const std::stop_token& stop);
  base::Result<size_t> Greet(Connection& connection);
  base::Result<bool> AwaitParameters(net::Stream& stream);
  base::Status Welcome(net::Stream& stream, size_t worker);
  base::Status WelcomeBack(net::Stream& stream);
  base::Status GoOnFrom(uint64_t step);
  base::Status Push(net::Stream& stream, size_t worker, const MessageHead& head);
  base::Status PushAlone(net::Stream& stream, size_t worker, double weight);
  base::Status PushInStep(net::Stream& stream, size_t worker, double weight, bool wants_end);
  void ApplyStep();
  base::Status SendParameters(net::Stream& stream, bool ends = false);
  base::Status AdoptSize(size_t size);
  base::Status ReadCheckpoints();
  std::optional<ParameterTable::Snapshot> TakeSnapshot() const;
  base::Status WriteCheckpoint(const ParameterTable::Snapshot& snapshot);
  void TryCheckpoint(const ParameterTable::Snapshot& snapshot);
  void KeepCheckpoints(const std::stop_token& stop);

  const ServerOptions options_;
  base::Logger& log_;
  net::Listener listener_;
  StepGate gate_;
  std::vector<Contribution> contributions_;  // each written by its worker's thread before Arrive
  bool ends_ = false;  // written with the step, read by all after Arrive and before their next push

  mutable std::mutex mutex_;  // guards what follows
  std::condition_variable_any changed_;
  // Made when the first worker tells the size, then never replaced.
  std::unique_ptr<ParameterTable> table_;
  std::list<Connection> connections_;
  std::vector<uint64_t> pushed_;  // asynchronous: gradients of each worker so far
  std::atomic<uint64_t> saved_steps_ = 0;
  // A synchronous run's checkpoints, until the first worker says which one all servers have.
  std::vector<KeptCheckpoint> offers_;
  std::vector<uint64_t> offered_;  // their steps; never changed once the server serves
  std::optional<uint64_t> resumed_;
};

}  // namespace reckon::train
