#include "train/ps/server.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "train/ps/checkpoint.h"
#include "train/ps/protocol.h"

namespace reckon::train {
namespace {

using base::Error;
using base::ErrorCode;

constexpr size_t kMostParameters = size_t{1} << 30;  // 4 GiB, and as much again for the optimiser
constexpr std::chrono::milliseconds kGrace{1000};

std::span<std::byte> Raw(std::span<float> floats) { return std::as_writable_bytes(floats); }

}  // namespace

ParameterServer::ParameterServer(const ServerOptions& options, base::Logger& log,
                                 net::Listener listener)
    : options_(options),
      log_(log),
      listener_(std::move(listener)),
      gate_(options.gate),
      contributions_(options.gate.workers),
      pushed_(options.gate.workers, 0) {}

ParameterServer::~ParameterServer() = default;

base::Result<std::unique_ptr<ParameterServer>> ParameterServer::Start(const ServerOptions& options,
                                                                      base::Logger& log) {
  RECKON_ASSIGN(net::Listener listener, net::Listener::Bind(options.listen));
  std::unique_ptr<ParameterServer> server(new ParameterServer(options, log, std::move(listener)));
  if (!options.checkpoint.empty()) RECKON_TRY(server->ReadCheckpoints());
  return server;
}

uint64_t ParameterServer::steps() const {
  const std::lock_guard lock(mutex_);
  return table_ == nullptr ? 0 : table_->steps();
}

base::Status ParameterServer::AdoptSize(size_t size) {
  const std::lock_guard lock(mutex_);
  if (size == 0 || size > kMostParameters) {
    return base::BadInput(fmt::format("{} parameters; expected 1 to {}", size, kMostParameters));
  }
  if (table_ == nullptr) {
    try {
      table_ = std::make_unique<ParameterTable>(options_.optimiser, size);
    } catch (const std::bad_alloc&) {
      return Error(ErrorCode::kFailed, fmt::format("no memory for {} parameters", size));
    }
  }
  if (table_->size() != size) {
    return base::BadInput(fmt::format("{} parameters; this server keeps {}", size, table_->size()));
  }
  return {};
}

// Who never came is not waited for once the others have been gone for as long as a silent worker is
// given.
void ParameterServer::AwaitEnd(std::unique_lock<std::mutex>& lock, const std::stop_token& stop) {
  const auto over = [this] { return gate_.finished() || gate_.ended().has_value(); };
  bool deserted = false;
  while (!changed_.wait_for(lock, stop, options_.silence, over) && !stop.stop_requested()) {
    if (deserted && gate_.deserted()) return;
    deserted = gate_.deserted();
  }
}

base::Status ParameterServer::Serve(const std::stop_token& stop) {
  std::jthread keeper;
  if (!options_.checkpoint.empty() && options_.gate.mode == StepMode::kAsync) {
    keeper = std::jthread([this](const std::stop_token& own) { KeepCheckpoints(own); });
  }
  {
    const std::stop_callback close(stop, [this] { listener_.Close(); });
    std::jthread accepter([this] { Accept(); });
    std::unique_lock lock(mutex_);
    AwaitEnd(lock, stop);
    lock.unlock();
    listener_.Close();
  }
  if (stop.stop_requested()) gate_.End(Error(ErrorCode::kInterrupted, "the server was stopped"));
  {
    // No new ones come. Those who wait are told why by their own thread; those who compute, or
    // hang, are cut off.
    const auto all_done = [this] {
      return std::all_of(connections_.begin(), connections_.end(),
                         [](const Connection& connection) { return connection.done; });
    };
    std::unique_lock lock(mutex_);
    if (!changed_.wait_for(lock, kGrace, all_done)) {
      for (Connection& connection : connections_) connection.stream.Shutdown();
    }
  }
  for (Connection& connection : connections_) connection.thread.join();
  connections_.clear();
  keeper = {};
  base::Status saved;
  const auto last = options_.checkpoint.empty() ? std::nullopt : TakeSnapshot();
  if (last) saved = WriteCheckpoint(*last);
  if (const auto ended = gate_.ended()) return *ended;
  return saved;
}

void ParameterServer::Accept() {
  while (true) {
    auto stream = listener_.Accept();
    if (!stream.ok()) {
      if (stream.error().code() != ErrorCode::kInterrupted) {
        gate_.End(std::move(stream).error());
        const std::lock_guard lock(mutex_);
        changed_.notify_all();
      }
      return;
    }
    const std::lock_guard lock(mutex_);
    // Those who are done make room.
    connections_.remove_if([](Connection& connection) { return connection.done; });
    Connection& connection = connections_.emplace_back(*std::move(stream), std::jthread(), false);
    connection.stream.set_patience(options_.silence);
    connection.thread = std::jthread([this, &connection] { Talk(connection); });
  }
}

void ParameterServer::Talk(Connection& connection) {
  std::optional<size_t> worker;
  const base::Status talked = Converse(connection.stream, worker);
  if (!talked.ok()) {
    const std::string why = talked.error().Describe();
    if (worker) gate_.Lose(*worker, why);
    log_.Info(fmt::format("worker {}: {}", worker ? std::to_string(*worker) : "?", why));
    // It may be gone; then nobody reads why.
    (void)SendText(connection.stream, MessageKind::kRefused, 0, why);
    connection.stream.Shutdown();
  }
  const std::lock_guard lock(mutex_);
  connection.done = true;
  changed_.notify_all();
}

base::Status ParameterServer::Converse(net::Stream& stream, std::optional<size_t>& worker) {
  RECKON_ASSIGN(const size_t number, Greet(stream));
  worker = number;
  while (true) {
    RECKON_ASSIGN(const MessageHead head, ReadHead(stream));
    switch (head.kind) {
      case MessageKind::kPush:
        RECKON_TRY(Push(stream, number, head));
        break;
      case MessageKind::kPull:
        RECKON_TRY(SendParameters(stream));
        break;
      case MessageKind::kLeave:
        gate_.Leave(number);
        return {};
      default:
        return base::Corrupt("a message that no worker sends here");
    }
  }
}

base::Result<size_t> ParameterServer::Greet(net::Stream& stream) {
  RECKON_ASSIGN(const MessageHead head, ReadHead(stream));
  if (head.kind != MessageKind::kHello) return base::Corrupt("expected a worker's greeting");
  RECKON_ASSIGN(const std::string text, ReadText(stream, head));
  RECKON_ASSIGN(const base::Json hello, base::ParseJson(text, "greeting"));
  const auto worker = base::WholeAt(hello, "worker");
  const auto workers = base::WholeAt(hello, "workers");
  const auto size = base::WholeAt(hello, "size");
  if (!worker || !workers || !size) return base::Corrupt("a greeting without its numbers");
  if (*workers != options_.gate.workers) {
    return base::BadInput(
        fmt::format("a worker of {}; this server serves {}", *workers, options_.gate.workers));
  }
  RECKON_TRY(AdoptSize(*size));
  RECKON_TRY(gate_.Join(*worker));
  const base::Status joined = offered_.empty() ? Welcome(stream, *worker) : WelcomeBack(stream);
  if (!joined.ok()) {
    gate_.Lose(*worker, joined.error().Describe());
    return joined.error();
  }
  return *worker;
}

// The first worker brings the values; the others wait for them. Without it those that go on without
// the dead bring their own, which begin the same.
base::Status ParameterServer::Welcome(net::Stream& stream, size_t worker) {
  std::unique_lock lock(mutex_);
  const bool told = worker == 0 || changed_.wait_for(lock, options_.gate.patience, [this] {
    return table_->initialised() || gate_.ended().has_value();
  });
  lock.unlock();
  if (const auto ended = gate_.ended()) return *ended;
  if (!told && options_.gate.mode == StepMode::kSync) {
    return Error(ErrorCode::kFailed, "worker 0 has not brought the first parameters");
  }
  const bool initialised = table_->initialised();  // another may bring them at this moment
  base::Json welcome;
  welcome["initialised"] = initialised;
  {
    const std::lock_guard counted(mutex_);
    welcome["pushed"] = pushed_[worker];
  }
  RECKON_TRY(SendText(stream, MessageKind::kWelcome, table_->steps(), welcome.dump()));
  if (initialised) return {};
  RECKON_ASSIGN(const MessageHead initial, ReadHead(stream));
  if (initial.kind != MessageKind::kInitial || initial.bytes != table_->size() * sizeof(float)) {
    return base::Corrupt("expected the first parameters");
  }
  std::vector<float> values(table_->size());
  RECKON_TRY(stream.Read(Raw(values)));
  table_->Initialise(values);
  const std::lock_guard again(mutex_);
  changed_.notify_all();
  return {};
}

// To a run that goes on from checkpoints. All workers see the same offers of all servers and choose
// alike.
base::Status ParameterServer::WelcomeBack(net::Stream& stream) {
  base::Json welcome;
  welcome["initialised"] = true;
  welcome["offers"] = offered_;
  RECKON_TRY(SendText(stream, MessageKind::kWelcome, offered_[0], welcome.dump()));
  RECKON_ASSIGN(const MessageHead chosen, ReadHead(stream));
  if (chosen.kind != MessageKind::kResume) return base::Corrupt("expected the step to go on from");
  return GoOnFrom(chosen.number);
}

base::Status ParameterServer::Push(net::Stream& stream, size_t worker, const MessageHead& head) {
  double weight = 0;
  if (head.bytes != sizeof weight + table_->size() * sizeof(float)) {
    return base::Corrupt(
        fmt::format("a push of {} bytes for {} parameters", head.bytes, table_->size()));
  }
  RECKON_TRY(stream.Read(std::as_writable_bytes(std::span(&weight, 1))));
  if (!(weight >= 0 && weight < 1e18)) return base::Corrupt("a push without a sensible weight");
  RECKON_TRY(options_.gate.mode == StepMode::kSync ? PushInStep(stream, worker, weight)
                                                   : PushAlone(stream, worker, weight));
  const std::lock_guard lock(mutex_);
  ++pushed_[worker];
  return {};
}

base::Status ParameterServer::PushAlone(net::Stream& stream, size_t worker, double weight) {
  std::vector<float> chunk(std::min(ParameterTable::kChunk, table_->size()));
  std::chrono::steady_clock::duration applied{};
  const uint64_t step = weight > 0 ? table_->BeginStep() : 0;
  for (size_t c = 0; c < table_->chunks(); ++c) {
    const std::span<float> part = std::span(chunk).first(table_->ChunkSize(c));
    RECKON_TRY(stream.Read(Raw(part)));
    if (weight == 0) continue;
    const auto begin = std::chrono::steady_clock::now();
    table_->Apply(step, c, part);
    applied += std::chrono::steady_clock::now() - begin;
  }
  const auto us = std::chrono::duration_cast<std::chrono::microseconds>(applied).count();
  RECKON_TRY(SendHead(stream, MessageKind::kReceived, static_cast<uint64_t>(us), 0));
  RECKON_TRY(gate_.Arrive(worker, {}));
  return SendParameters(stream);
}

base::Status ParameterServer::PushInStep(net::Stream& stream, size_t worker, double weight) {
  Contribution& own = contributions_[worker];
  own.gradient.resize(table_->size());
  own.weight = weight;
  RECKON_TRY(stream.Read(Raw(own.gradient)));
  RECKON_TRY(SendHead(stream, MessageKind::kReceived, 0, 0));
  RECKON_TRY(gate_.Arrive(worker, [this] { ApplyStep(); }));
  return SendParameters(stream);
}

// Sum of weight * gradient over the sum of weights, always in the order of workers: the same bits
// whoever comes first.
void ParameterServer::ApplyStep() {
  double total = 0;
  for (const Contribution& one : contributions_) total += one.weight;
  if (total > 0) {
    const uint64_t step = table_->BeginStep();
    std::vector<float> mean(std::min(ParameterTable::kChunk, table_->size()));
    for (size_t c = 0; c < table_->chunks(); ++c) {
      const size_t size = table_->ChunkSize(c);
      std::fill(mean.begin(), mean.end(), 0.0F);
      for (const Contribution& one : contributions_) {
        if (one.weight == 0) continue;
        const auto share = static_cast<float>(one.weight / total);
        const float* from = one.gradient.data() + c * ParameterTable::kChunk;
        for (size_t i = 0; i < size; ++i) mean[i] += share * from[i];
      }
      table_->Apply(step, c, std::span(mean).first(size));
    }
  }
  // Who leaves before the next step has no part in it.
  for (Contribution& one : contributions_) one.weight = 0;
  // Before anybody is answered: no other server can be a whole checkpoint ahead.
  const uint64_t every = options_.checkpoint.empty() ? 0 : options_.checkpoint_steps;
  if (total > 0 && every > 0 && table_->steps() % every == 0) {
    TryCheckpoint(table_->Take());
  }
}

base::Status ParameterServer::SendParameters(net::Stream& stream) {
  RECKON_TRY(
      SendHead(stream, MessageKind::kParameters, table_->steps(), table_->size() * sizeof(float)));
  std::vector<float> chunk(std::min(ParameterTable::kChunk, table_->size()));
  for (size_t c = 0; c < table_->chunks(); ++c) {
    const std::span<float> part = std::span(chunk).first(table_->ChunkSize(c));
    table_->Copy(c, part);
    RECKON_TRY(stream.Write(std::as_bytes(part)));
  }
  return {};
}

}  // namespace reckon::train
