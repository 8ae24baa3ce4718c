// Tells the supervisor of a run how this rank gets on: see docs/reporting.md.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>

#include "base/clock.h"
#include "base/log.h"
#include "net/http_client.h"
#include "observe/events/event_queue.h"

namespace reckon::observe {

struct ReporterOptions {
  std::optional<net::Url> target;  // none: everything is swallowed
  std::string token;
  int64_t rank = 0;
  std::string role = "worker";
  std::chrono::milliseconds every{500};
  QueueBounds bounds;
  std::chrono::milliseconds patience{1'500};    // with connecting, and with the answer to a report
  std::chrono::milliseconds last_flush{3'000};  // how long the destructor tries
};

// Collects events and posts them from a thread of its own. Every method may be called from any
// thread, and only Flush waits. What cannot be sent is kept, within bounds, and sent when the
// supervisor is back; what it refuses is dropped. Both are said in the log, once.
class Reporter {
 public:
  // From RECKON_STATUS_URL, RECKON_TOKEN, RANK and RECKON_ROLE. Without the first it swallows
  // everything; with a wrong one too, and says so in the log. `clock` and `log` outlive it.
  static std::unique_ptr<Reporter> FromEnvironment(const base::Clock& clock, base::Logger& log);

  Reporter(const ReporterOptions& options, const base::Clock& clock, base::Logger& log);
  // Sends what is left, for `last_flush` at most and the report under way.
  ~Reporter();
  Reporter(const Reporter&) = delete;
  Reporter& operator=(const Reporter&) = delete;

  // What cannot be is not reported: numbers that are not finite, negative times, empty names.
  void Stage(const std::string& name, double seconds, std::optional<int64_t> epoch = {});
  void Step(const StepRecord& step);
  void Metric(const std::string& name, double value, std::optional<int64_t> epoch = {});
  // `total` above 0.
  void Progress(double done, double total, const std::string& unit,
                std::optional<double> remaining_s = {});
  // How long a request or cycle of this background process took, and whether it missed its
  // deadline.
  void Latency(double seconds, bool missed);
  // This background process has reached its steady state.
  void Ready();
  // Why this rank is about to end.
  void Error(const std::string& message);

  // Whether the supervisor has said that this training shall end after the epoch that it is in.
  bool Ending() const { return ending_; }

  // Waits until all that was told so far has been sent or refused; false when `limit` passes first.
  bool Flush(std::chrono::milliseconds limit);

 private:
  void Tell(std::string event);
  void Run(const std::stop_token& stop);
  // False: the supervisor is away, or stop.
  bool DeliverAll(net::HttpClient& client, const std::stop_token& stop);
  std::string Compose(const EventQueue::Portion& portion);
  // False: to be tried again.
  bool Post(net::HttpClient& client, const std::string& body);
  void SayDropped();

  const ReporterOptions options_;
  const std::string sender_;  // says which reports came from this one; "": they go unnumbered
  const base::Clock& clock_;
  base::Logger& log_;

  std::atomic<bool> ending_ = false;

  std::mutex mutex_;  // guards what follows
  std::condition_variable_any wake_;
  std::condition_variable_any sent_;
  EventQueue queue_;
  bool under_way_ = false;  // a report has left the queue and was not yet taken or refused
  bool hurry_ = false;
  bool said_dropped_ = false;

  // Touched by the thread only.
  std::string unsent_;     // the report under way
  uint64_t sequence_ = 0;  // of the next report
  bool said_away_ = false;
  bool said_refused_ = false;

  std::jthread thread_;
};

}  // namespace reckon::observe
