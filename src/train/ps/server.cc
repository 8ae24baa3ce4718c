#include "train/ps/server.h"

#include <algorithm>
#include <system_error>
#include <utility>

#include <fmt/format.h>

namespace reckon::train {
namespace {

using base::Error;
using base::ErrorCode;

constexpr std::chrono::milliseconds kGrace{1000};
// Connections that have not said who they are, beside one a worker.
constexpr size_t kMostStrangers = 64;

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

// Who never came is waited for as long as a silent worker is given, once the others are gone.
void ParameterServer::AwaitEnd(std::unique_lock<std::mutex>& lock, const std::stop_token& stop) {
  using Clock = StepGate::Clock;
  while (!stop.stop_requested() && !gate_.ended()) {
    const auto over = gate_.over_at(options_.silence);
    if (over && *over <= Clock::now()) return;
    changed_.wait_until(lock, stop, over.value_or(Clock::now() + options_.silence), [&] {
      return gate_.ended().has_value() || gate_.over_at(options_.silence) != over;
    });
  }
}

// Also wakes those who wait for more than the gate.
void ParameterServer::End(Error why) {
  gate_.End(std::move(why));
  const std::lock_guard lock(mutex_);
  changed_.notify_all();
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
  if (stop.stop_requested()) End(Error(ErrorCode::kInterrupted, "the server was stopped"));
  {
    // No new ones come. Those who wait are told why by their own thread; those who compute, or
    // hang, are cut off.
    const auto all_done = [this] {
      return std::all_of(connections_.begin(), connections_.end(), [](const Connection& one) {
        return one.stage == Connection::Stage::kDone;
      });
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
      if (stream.error().code() != ErrorCode::kInterrupted) End(std::move(stream).error());
      return;
    }
    const std::lock_guard lock(mutex_);
    // Those who are done make room.
    connections_.remove_if(
        [](const Connection& one) { return one.stage == Connection::Stage::kDone; });
    DismissStranger();
    Take(*std::move(stream));
  }
}

// When there are too many of them, the one that has been silent for longest: a worker greets at
// once.
void ParameterServer::DismissStranger() {
  const auto stranger = [](const Connection& one) {
    return one.stage == Connection::Stage::kStranger;
  };
  const auto count = std::count_if(connections_.begin(), connections_.end(), stranger);
  if (static_cast<size_t>(count) < kMostStrangers + options_.gate.workers) return;
  const auto oldest = std::find_if(connections_.begin(), connections_.end(), stranger);
  oldest->stage = Connection::Stage::kDismissed;
  oldest->stream.Shutdown();
}

void ParameterServer::Take(net::Stream stream) {
  Connection& connection = connections_.emplace_back(std::move(stream));
  connection.stream.set_patience(options_.greeting);
  try {
    connection.thread = std::jthread([this, &connection] { Talk(connection); });
  } catch (const std::system_error& error) {
    log_.Warn(fmt::format("no thread for a connection: {}", error.what()));
    connections_.pop_back();
  }
}

void ParameterServer::Talk(Connection& connection) {
  std::optional<size_t> worker;
  const base::Status talked = Converse(connection, worker);
  if (!talked.ok()) {
    const std::string why = talked.error().Describe();
    if (worker) gate_.Lose(*worker, why);
    log_.Info(fmt::format("worker {}: {}", worker ? std::to_string(*worker) : "?", why));
    const ErrorCode code = talked.error().code();
    const bool lost = code == ErrorCode::kUnavailable || code == ErrorCode::kFailed;
    const bool may_return = worker && lost && options_.gate.mode == StepMode::kAsync;
    // Who was lost may be gone, and nobody reads why; or it was slow, and may come again.
    if (!may_return || gate_.ended()) {
      (void)SendText(connection.stream, MessageKind::kRefused, why);
    }
    connection.stream.Shutdown();
  }
  const std::lock_guard lock(mutex_);
  connection.stage = Connection::Stage::kDone;
  changed_.notify_all();
}

base::Status ParameterServer::Converse(Connection& connection, std::optional<size_t>& worker) {
  net::Stream& stream = connection.stream;
  RECKON_ASSIGN(const size_t number, Greet(connection));
  worker = number;
  while (true) {
    RECKON_ASSIGN(const MessageHead head, ReadHead(stream));
    gate_.Heard(number);
    switch (head.kind) {
      case MessageKind::kPush:
        RECKON_TRY(Push(stream, number, head));
        break;
      case MessageKind::kPull:
        RECKON_TRY(SendParameters(stream));
        break;
      case MessageKind::kAlive:
        break;
      case MessageKind::kLeave:
        gate_.Leave(number);
        return {};
      default:
        return base::Corrupt("a message that no worker sends here");
    }
  }
}

}  // namespace reckon::train
