// The part of the parameter server that applies what workers push.
#include <algorithm>

#include <fmt/format.h>

#include "train/ps/protocol.h"
#include "train/ps/server.h"

namespace reckon::train {
namespace {

std::span<std::byte> Raw(std::span<float> floats) { return std::as_writable_bytes(floats); }

// Memory for a chunk, kept for as long as the connection whose thread this is: it would have to be
// zeroed for every push and every pull.
std::span<float> ChunkBuffer() {
  thread_local std::vector<float> buffer(ParameterTable::kChunk);
  return buffer;
}

}  // namespace

base::Status ParameterServer::Push(net::Stream& stream, size_t worker, const MessageHead& head) {
  double weight = 0;
  if (head.bytes != sizeof weight + table_->size() * sizeof(float)) {
    return base::Corrupt(
        fmt::format("a push of {} bytes for {} parameters", head.bytes, table_->size()));
  }
  RECKON_TRY(stream.Read(std::as_writable_bytes(std::span(&weight, 1))));
  if (!(weight >= 0 && weight < 1e18)) return base::Corrupt("a push without a sensible weight");
  return options_.gate.mode == StepMode::kSync
             ? PushInStep(stream, worker, weight, head.number != 0)
             : PushAlone(stream, worker, weight);
}

// Chunk by chunk as they come; `weight` is what the gradient counts against those of others. A push
// that breaks off stays half applied: it is not counted, and the worker that comes back trains on
// that batch once more.
base::Status ParameterServer::PushAlone(net::Stream& stream, size_t worker, double weight) {
  std::chrono::steady_clock::duration applied{};
  const uint64_t step = weight > 0 ? table_->BeginStep() : 0;
  for (size_t c = 0; c < table_->chunks(); ++c) {
    const std::span<float> part = ChunkBuffer().first(table_->ChunkSize(c));
    RECKON_TRY(stream.Read(Raw(part)));
    if (weight == 0) continue;
    const auto begin = std::chrono::steady_clock::now();
    if (weight != 1) {
      for (float& value : part) value *= static_cast<float>(weight);
    }
    table_->Apply(step, c, part);
    applied += std::chrono::steady_clock::now() - begin;
  }
  {
    // Before the worker hears of it: one that dies from here on has done this batch.
    const std::lock_guard lock(mutex_);
    ++pushed_[worker];
  }
  const auto us = std::chrono::duration_cast<std::chrono::microseconds>(applied).count();
  RECKON_TRY(SendHead(stream, MessageKind::kReceived, static_cast<uint64_t>(us), 0));
  RECKON_TRY(
      gate_.Arrive(worker, {}, [&stream] { return SendHead(stream, MessageKind::kWait, 0, 0); }));
  return SendParameters(stream);
}

base::Status ParameterServer::PushInStep(net::Stream& stream, size_t worker, double weight,
                                         bool wants_end) {
  Contribution& own = contributions_[worker];
  own.gradient.resize(table_->size());
  own.weight = weight;
  own.wants_end = wants_end;
  for (size_t c = 0; c < table_->chunks(); ++c) {
    const size_t begin = c * ParameterTable::kChunk;
    RECKON_TRY(stream.Read(Raw(std::span(own.gradient).subspan(begin, table_->ChunkSize(c)))));
    gate_.Heard(worker);  // a slow network is no silence
  }
  RECKON_TRY(SendHead(stream, MessageKind::kReceived, 0, 0));
  RECKON_TRY(gate_.Arrive(
      worker, [this] { ApplyStep(); },
      [&stream] { return SendHead(stream, MessageKind::kWait, 0, 0); }));
  return SendParameters(stream, ends_);
}

// Sum of weight * gradient over the sum of weights, always in the order of workers: the same bits
// whoever comes first.
void ParameterServer::ApplyStep() {
  double total = 0;
  ends_ = false;
  for (const Contribution& one : contributions_) {
    total += one.weight;
    ends_ |= one.wants_end;
  }
  if (total > 0) {
    const uint64_t step = table_->BeginStep();
    for (size_t c = 0; c < table_->chunks(); ++c) {
      const size_t size = table_->ChunkSize(c);
      const std::span<float> mean = ChunkBuffer().first(size);
      std::fill(mean.begin(), mean.end(), 0.0F);
      for (const Contribution& one : contributions_) {
        if (one.weight == 0) continue;
        const auto share = static_cast<float>(one.weight / total);
        const float* from = one.gradient.data() + c * ParameterTable::kChunk;
        for (size_t i = 0; i < size; ++i) mean[i] += share * from[i];
      }
      table_->Apply(step, c, mean);
    }
  }
  // Who leaves before the next step has no part in it.
  for (Contribution& one : contributions_) {
    one.weight = 0;
    one.wants_end = false;
  }
  // Before anybody is answered: no other server can be a whole checkpoint ahead.
  const uint64_t every = options_.checkpoint.empty() ? 0 : options_.checkpoint_steps;
  if (total > 0 && every > 0 && table_->steps() % every == 0) {
    TryCheckpoint(table_->Take());
  }
}

base::Status ParameterServer::SendParameters(net::Stream& stream, bool ends) {
  const uint64_t bytes = table_->size() * sizeof(float);
  const uint64_t number = table_->steps() | (ends ? kEnds : 0);
  for (size_t c = 0; c < table_->chunks(); ++c) {
    const std::span<float> part = ChunkBuffer().first(table_->ChunkSize(c));
    table_->Copy(c, part);
    const auto raw = std::as_bytes(part);
    RECKON_TRY(c == 0 ? SendHead(stream, MessageKind::kParameters, number, bytes, raw)
                      : stream.Write(raw));
  }
  return {};
}

}  // namespace reckon::train
