// Streams of events (text/event-stream, as browsers' EventSource reads them): what the store is
// told, to whoever listens, as it happens.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/log.h"
#include "base/result.h"
#include "net/http_reply.h"
#include "store/store.h"

namespace reckon::serve {

struct FeedOptions {
  std::chrono::milliseconds period{200};     // between looks into the store
  std::chrono::milliseconds progress{1000};  // between looks at how far runs are
  std::chrono::milliseconds alive{15'000};   // silence after which a comment is sent
  size_t most_listeners = 1000;
};

// How far a run is. `ended`: nothing will follow.
struct RunNews {
  std::string report;  // a line of JSON
  bool ended = false;
};

// Thread-safe. Has a thread of its own; looks at nothing while nobody listens.
class EventFeed {
 public:
  using LookAtRun = std::function<base::Result<RunNews>(int64_t run_id)>;

  // The store and the log outlive it.
  EventFeed(const FeedOptions& options, store::Store& store, base::Logger& log, LookAtRun look);
  ~EventFeed();
  EventFeed(const EventFeed&) = delete;
  EventFeed& operator=(const EventFeed&) = delete;

  // Begins the answer. Events of one run with ids above `after` (nullopt: all there were), and how
  // far it is ("progress") until it has ended ("end", then the stream is closed).
  base::Status FollowRun(net::HttpReply& reply, int64_t run_id, std::optional<int64_t> after);
  // Events of everything with ids above `after` (nullopt: those to come). kUnavailable: too many
  // listen already.
  base::Status FollowAll(net::HttpReply& reply, std::optional<int64_t> after);

  size_t listeners() const { return count_; }

 private:
  using Time = std::chrono::steady_clock::time_point;

  struct Listener {
    net::HttpStream stream;
    std::optional<int64_t> run;
    std::optional<int64_t> after;  // nullopt: those to come
    bool caught_up = false;
    std::string progress;  // as it was told last
    Time told_at;
    bool over = false;
  };

  base::Status Add(net::HttpReply& reply, std::optional<int64_t> run, std::optional<int64_t> after);
  void Serve(const std::stop_token& stop);
  base::Status TellEvents();
  base::Status CatchUp(Listener& listener);
  void TellProgress();
  void Write(Listener& listener, const std::string& text);

  const FeedOptions options_;
  store::Store& store_;
  base::Logger& log_;
  const LookAtRun look_;

  std::mutex mutex_;  // guards joined_
  std::condition_variable_any wake_;
  std::vector<Listener> joined_;
  std::atomic<size_t> count_{0};  // with those that have just joined

  // Of the thread alone.
  std::vector<Listener> listeners_;
  int64_t cursor_ = 0;  // the last event that was told to all who have caught up
  Time looked_at_;
  std::jthread thread_;  // the last: it uses all of the above
};

// An event as it stands in such a stream, with `id` for those who come again ("Last-Event-ID").
std::string EventText(const core::Event& event);
// `data`: a line, of JSON.
std::string EventText(const std::string& kind, const std::string& data);

}  // namespace reckon::serve
