// Workers that add up their gradients: c10d over Gloo. Torch stays behind this header.
#pragma once

#include <chrono>
#include <memory>
#include <span>
#include <string>

#include "base/result.h"
#include "net/tcp.h"
#include "worker/reals.h"
#include "worker/replica.h"

namespace reckon::worker {

struct GroupOptions {
  size_t rank = 0;
  size_t size = 1;
  net::Address meeting;  // where rank 0 listens (MASTER_ADDR, MASTER_PORT)
  std::string address;   // of this machine, for the others; empty: that of its name
  // How long a member may stand still before the others give up.
  std::chrono::milliseconds patience{30'000};
};

// For one thread.
class ProcessGroup {
 public:
  // Waits for the others. kUnavailable: the port is taken, or somebody does not come in time.
  static base::Result<std::unique_ptr<ProcessGroup>> Join(const GroupOptions& options);
  ~ProcessGroup();
  ProcessGroup(const ProcessGroup&) = delete;
  ProcessGroup& operator=(const ProcessGroup&) = delete;

  // Everybody gets rank 0's numbers.
  base::Status Broadcast(Reals numbers);
  // Everybody gets the sums.
  base::Status Sum(std::span<double> numbers);

  struct State;

 private:
  explicit ProcessGroup(std::unique_ptr<State> state);
  friend class GradientReducer;
  std::unique_ptr<State> state_;
};

// Sums gradients over the group in buckets, each as soon as the backward pass has finished it.
class GradientReducer final : public GradientListener {
 public:
  // `group` and `gradients` outlive it.
  GradientReducer(ProcessGroup& group, Reals gradients, size_t bucket_bytes);
  ~GradientReducer() override;
  void Ready(size_t begin, size_t end) override;
  size_t buckets() const;
  // Buckets of this step whose sums have begun.
  size_t begun() const;
  // Waits for every sum; also begins those that nobody has announced. kUnavailable: a member went
  // away or stands still.
  base::Status Finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace reckon::worker
