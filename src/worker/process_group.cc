#include "worker/process_group.h"

#include <algorithm>
#include <thread>
#include <utility>
#include <vector>

#include <ATen/ops/from_blob.h>
#include <fmt/format.h>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>

#include "worker/torch_errors.h"

namespace reckon::worker {
namespace {

using base::Error;
using base::ErrorCode;
using Gloo = c10d::ProcessGroupGloo;
using WorkPointer = c10::intrusive_ptr<c10d::Work>;

constexpr std::chrono::milliseconds kKnockEvery{20};
constexpr std::chrono::milliseconds kKnockLimit{1'000};

at::Tensor AsTensor(Reals numbers) {
  return at::from_blob(numbers.data, {static_cast<int64_t>(numbers.size)},
                       numbers.float64 ? at::kDouble : at::kFloat);
}

double InSeconds(std::chrono::milliseconds time) {
  return static_cast<double>(time.count()) / 1000;
}

bool IsTimeOut(const std::string& text) {
  return text.find("imed out") != std::string::npos || text.find("imeout") != std::string::npos;
}

// What Gloo says of a lost or hung member, in words of ours.
base::Status Lost(base::Status status, std::chrono::milliseconds patience) {
  if (status.ok()) return status;
  const std::string& text = status.error().message();
  return Error(ErrorCode::kUnavailable,
               IsTimeOut(text) ? fmt::format("a worker stands still: nothing came from it for {} s",
                                             InSeconds(patience))
                               : fmt::format("a worker went away ({})", text));
}

std::string HereKey(size_t rank) { return fmt::format("here/{}", rank); }

// Everybody says that it is here; the first who does not in time is named. Worker 0 has the store,
// and comes first: if it hangs, it is the one that is named.
base::Status AwaitAll(c10d::Store& store, const GroupOptions& options) {
  const auto deadline = std::chrono::steady_clock::now() + options.patience;
  store.set(HereKey(options.rank), std::vector<uint8_t>{1});
  for (size_t rank = 0; rank < options.size; ++rank) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        deadline - std::chrono::steady_clock::now());
    const base::Status came = CatchTorch("waiting", [&]() -> base::Status {
      store.wait({HereKey(rank)}, std::max(left, std::chrono::milliseconds(1)));
      return {};
    });
    if (came.ok()) continue;
    const std::string& text = came.error().message();
    return Error(ErrorCode::kUnavailable, IsTimeOut(text)
                                              ? fmt::format("worker {} has not come within {} s",
                                                            rank, InSeconds(options.patience))
                                              : fmt::format("worker 0 went away ({})", text));
  }
  return {};
}

}  // namespace

struct ProcessGroup::State {
  GroupOptions options;
  c10::intrusive_ptr<c10d::Store> store;
  c10::intrusive_ptr<Gloo> gloo;

  base::Status Wait(const char* doing, const std::function<WorkPointer()>& start) const {
    return Lost(CatchTorch(doing,
                           [&]() -> base::Status {
                             start()->wait();
                             return {};
                           }),
                options.patience);
  }
};

ProcessGroup::ProcessGroup(std::unique_ptr<State> state) : state_(std::move(state)) {}
ProcessGroup::~ProcessGroup() = default;

base::Result<std::unique_ptr<ProcessGroup>> ProcessGroup::Join(const GroupOptions& options) {
  if (options.rank == 0) {
    // The store would only say that it failed; the port being taken is the usual reason.
    auto free = net::Listener::Bind({options.meeting.host, options.meeting.port});
    if (!free.ok()) return std::move(free).error().Wrap("the workers' meeting point");
  }
  if (options.rank != 0) {
    // The store itself would try again after a whole second only. Whether anybody came is for the
    // store to say.
    const auto deadline = std::chrono::steady_clock::now() + options.patience;
    while (!net::Stream::Connect(options.meeting, kKnockLimit).ok() &&
           std::chrono::steady_clock::now() < deadline) {
      std::this_thread::sleep_for(kKnockEvery);
    }
  }
  auto joined = CatchTorch(
      fmt::format("meeting the other workers at {}", options.meeting.ToText()),
      [&]() -> base::Result<std::unique_ptr<ProcessGroup>> {
        auto state = std::make_unique<State>();
        state->options = options;
        c10d::TCPStoreOptions store;
        store.port = options.meeting.port;
        store.isServer = options.rank == 0;
        store.waitWorkers = false;  // it would not say who is missing
        store.timeout = options.patience;
        state->store = c10::make_intrusive<c10d::TCPStore>(options.meeting.host, store);
        RECKON_TRY(AwaitAll(*state->store, options));
        const auto gloo = Gloo::Options::create(options.patience);
        gloo->devices.push_back(options.address.empty()
                                    ? Gloo::createDefaultDevice()
                                    : Gloo::createDeviceForHostname(options.address));
        gloo->threads = 2;
        state->gloo = c10::make_intrusive<Gloo>(state->store, static_cast<int>(options.rank),
                                                static_cast<int>(options.size), gloo);
        return std::unique_ptr<ProcessGroup>(new ProcessGroup(std::move(state)));
      });
  if (joined.ok() || joined.error().code() == ErrorCode::kUnavailable) return joined;
  return Error(ErrorCode::kUnavailable, joined.error().message());
}

base::Status ProcessGroup::Broadcast(Reals numbers) {
  std::vector<at::Tensor> tensors{AsTensor(numbers)};
  return state_->Wait("sending out parameters", [&] { return state_->gloo->broadcast(tensors); });
}

base::Status ProcessGroup::Sum(std::span<double> numbers) {
  std::vector<at::Tensor> tensors{AsTensor({numbers.data(), numbers.size(), true})};
  return state_->Wait("adding up", [&] { return state_->gloo->allreduce(tensors); });
}

struct GradientReducer::State {
  ProcessGroup::State& group;
  struct Bucket {
    size_t begin = 0;
    size_t end = 0;
    size_t ready = 0;
    at::Tensor tensor;
    WorkPointer work;
  };
  size_t bucket_size;
  std::vector<Bucket> buckets;  // by place
  size_t next = 0;              // those from here on have begun
  std::string failure;          // of a start within the backward pass

  // Every member must begin the sums in the same order, also one that has run out of data: from the
  // last on.
  void StartReady() {
    while (next > 0 && buckets[next - 1].ready == buckets[next - 1].end - buckets[next - 1].begin) {
      Start(buckets[--next]);
    }
  }

  void Start(Bucket& bucket) {
    if (!failure.empty()) return;
    std::vector<at::Tensor> tensors{bucket.tensor};
    try {
      bucket.work = group.gloo->allreduce(tensors);
    } catch (const std::exception& error) {
      failure = FirstLine(error.what());
    }
  }
};

GradientReducer::GradientReducer(ProcessGroup& group, Reals gradients, size_t bucket_bytes)
    : state_(new State{*group.state_, 0, {}, 0, {}}) {
  const size_t width = gradients.bytes() / std::max<size_t>(1, gradients.size);
  state_->bucket_size = std::max<size_t>(1, bucket_bytes / std::max<size_t>(1, width));
  const at::Tensor all = AsTensor(gradients);
  for (size_t begin = 0; begin < gradients.size; begin += state_->bucket_size) {
    State::Bucket bucket;
    bucket.begin = begin;
    bucket.end = std::min(gradients.size, begin + state_->bucket_size);
    bucket.tensor =
        all.narrow(0, static_cast<int64_t>(begin), static_cast<int64_t>(bucket.end - bucket.begin));
    state_->buckets.push_back(std::move(bucket));
  }
  state_->next = state_->buckets.size();
}

GradientReducer::~GradientReducer() = default;

void GradientReducer::Ready(size_t begin, size_t end) {
  for (size_t i = begin / state_->bucket_size; i < state_->buckets.size(); ++i) {
    State::Bucket& bucket = state_->buckets[i];
    if (bucket.begin >= end) break;
    bucket.ready += std::min(end, bucket.end) - std::max(begin, bucket.begin);
  }
  state_->StartReady();
}

size_t GradientReducer::buckets() const { return state_->buckets.size(); }

size_t GradientReducer::begun() const { return state_->buckets.size() - state_->next; }

base::Status GradientReducer::Finish() {
  while (state_->next > 0) state_->Start(state_->buckets[--state_->next]);
  base::Status status;
  for (size_t i = state_->buckets.size(); i-- > 0;) {
    State::Bucket& bucket = state_->buckets[i];
    if (bucket.work) {
      auto waited = CatchTorch("adding up gradients", [&]() -> base::Status {
        bucket.work->wait();
        return {};
      });
      if (!waited.ok() && status.ok()) status = std::move(waited);
    }
    bucket.work.reset();
    bucket.ready = 0;
  }
  state_->next = state_->buckets.size();
  if (status.ok() && !state_->failure.empty()) status = Error(ErrorCode::kFailed, state_->failure);
  return Lost(std::move(status), state_->group.options.patience);
}

}  // namespace reckon::worker
