// The part of the parameter server that finds out who comes and brings it up to date.
#include <new>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json.h"
#include "base/text.h"
#include "train/ps/protocol.h"
#include "train/ps/server.h"

namespace reckon::train {
namespace {

using base::Error;
using base::ErrorCode;

constexpr size_t kMostParameters = size_t{1} << 30;  // 4 GiB, and as much again for the optimiser

}  // namespace

base::Status ParameterServer::AdoptSize(size_t size) {
  const std::lock_guard lock(mutex_);
  if (size == 0 || size > kMostParameters) {
    return base::BadInput(fmt::format("{} parameters; expected 1 to {}", size, kMostParameters));
  }
  const size_t wanted = table_ != nullptr ? table_->size() : options_.size;
  if (wanted != 0 && size != wanted) {
    return base::BadInput(fmt::format("{} parameters; this server keeps {}", size, wanted));
  }
  if (table_ == nullptr) {
    try {
      table_ = std::make_unique<ParameterTable>(options_.optimiser, size);
    } catch (const std::bad_alloc&) {
      return Error(ErrorCode::kFailed, fmt::format("no memory for {} parameters", size));
    }
  }
  return {};
}

// Nothing of the run changes before it is clear that a worker is talking.
base::Result<size_t> ParameterServer::Greet(Connection& connection) {
  net::Stream& stream = connection.stream;
  RECKON_ASSIGN(const MessageHead head, ReadHead(stream));
  if (head.kind != MessageKind::kHello) return base::Corrupt("expected a worker's greeting");
  RECKON_ASSIGN(const std::string text, ReadText(stream, head));
  RECKON_ASSIGN(const base::Json hello, base::ParseJson(text, "greeting"));
  const auto worker = base::WholeAt(hello, "worker");
  const auto workers = base::WholeAt(hello, "workers");
  const auto size = base::WholeAt(hello, "size");
  if (!worker || !workers || !size) return base::Corrupt("a greeting without its numbers");
  const base::Json token = hello.value("token", base::Json());
  if (!options_.token.empty() &&
      !(token.is_string() && base::SameSecret(token.get<std::string>(), options_.token))) {
    return base::BadInput("the token is missing or wrong; it is in RECKON_TOKEN");
  }
  if (*workers != options_.gate.workers) {
    return base::BadInput(
        fmt::format("a worker of {}; this server serves {}", *workers, options_.gate.workers));
  }
  if (*worker >= options_.gate.workers) {
    return base::BadInput(
        fmt::format("worker {}; this run has workers 0 to {}", *worker, options_.gate.workers - 1));
  }
  RECKON_TRY(AdoptSize(*size));
  stream.set_patience(options_.silence);
  {
    const std::lock_guard lock(mutex_);
    if (connection.stage == Connection::Stage::kDismissed) {
      return Error(ErrorCode::kUnavailable, "it greeted too late");
    }
    connection.stage = Connection::Stage::kWorker;
  }
  RECKON_TRY(gate_.Join(*worker));
  const base::Status joined = offered_.empty() ? Welcome(stream, *worker) : WelcomeBack(stream);
  if (!joined.ok()) {
    gate_.Lose(*worker, joined.error().Describe());
    return joined.error();
  }
  return *worker;
}

// Whether somebody has brought them within the patience, or the run has ended. An error: the one
// who waits is gone.
base::Result<bool> ParameterServer::AwaitParameters(net::Stream& stream) {
  const auto told = [this] { return table_->initialised() || gate_.ended().has_value(); };
  const auto deadline = StepGate::Clock::now() + options_.gate.patience;
  std::unique_lock lock(mutex_);
  while (!changed_.wait_for(lock, options_.gate.interval(), told)) {
    if (StepGate::Clock::now() >= deadline) return false;
    lock.unlock();
    RECKON_TRY(SendHead(stream, MessageKind::kWait, 0, 0));
    lock.lock();
  }
  return true;
}

// The first worker brings the values; the others wait for them. Without it those that go on without
// the dead bring their own, which begin the same.
base::Status ParameterServer::Welcome(net::Stream& stream, size_t worker) {
  bool told = true;
  if (worker != 0) {
    RECKON_ASSIGN(told, AwaitParameters(stream));
  }
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
  RECKON_TRY(SendText(stream, MessageKind::kWelcome, welcome.dump()));
  if (initialised) return {};
  RECKON_ASSIGN(const MessageHead initial, ReadHead(stream));
  if (initial.kind != MessageKind::kInitial || initial.bytes != table_->size() * sizeof(float)) {
    return base::Corrupt("expected the first parameters");
  }
  std::vector<float> values(table_->size());
  RECKON_TRY(stream.Read(std::as_writable_bytes(std::span(values))));
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
  RECKON_TRY(SendText(stream, MessageKind::kWelcome, welcome.dump()));
  RECKON_ASSIGN(const MessageHead chosen, ReadHead(stream));
  if (chosen.kind != MessageKind::kResume) return base::Corrupt("expected the step to go on from");
  return GoOnFrom(chosen.number);
}

}  // namespace reckon::train
