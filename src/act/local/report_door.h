// Where the ranks of a run report: an HTTP server that writes what they say into the run's events.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "act/launch.h"
#include "act/local/event_file.h"
#include "act/local/node_watch.h"
#include "act/local/taken_reports.h"
#include "base/clock.h"
#include "base/log.h"
#include "net/http_server.h"

namespace reckon::act {

// Hears every event that ranks tell, in their order; why the training may end, if it may.
using Adviser = std::function<std::optional<std::string>(const base::Json& event)>;

// POST /runs/ID/events with "Authorization: Bearer TOKEN": 204 (once the
// training shall end early 200 and {"end": "epoch"}), or 401, 400, 404, 405, 503 with the
// reason. A report is taken once: one that comes again, since its answer was lost, is answered with
// 204 and dropped. Every event of a report gets "role" and "index". LastError may be called from
// any thread.
class ReportDoor {
 public:
  // Listens on the spec's status_host. kUnavailable, kNotFound: there it cannot. All outlive it.
  static base::Result<std::unique_ptr<ReportDoor>> Open(const LaunchSpec& spec, EventWriter& events,
                                                        const base::Clock& clock, base::Logger& log,
                                                        Adviser adviser = {});
  ~ReportDoor() = default;
  ReportDoor(const ReportDoor&) = delete;
  ReportDoor& operator=(const ReportDoor&) = delete;

  // What ranks find in RECKON_STATUS_URL.
  std::string url() const;
  // The message of the last error that this rank reported; "" when there was none.
  std::string LastError(const std::string& role, int64_t index) const;
  // The first error that any rank has told since then: who dies takes others along, and what those
  // say of it comes later.
  struct ToldError {
    std::string role;
    int64_t index = 0;
    std::string message;
    base::MonotonicTime at;
  };
  std::optional<ToldError> FirstErrorSince(base::MonotonicTime time) const;
  // Whether this rank has said that it is ready, or told a latency, which says as much.
  bool SaidReady(const std::string& role, int64_t index) const;
  // When all workers were training, by what they say: from the last one's begin to the first one's
  // end, seconds since 1970. Of workers that do not tell their stage training_loop, from their
  // first to their last report of steps. nullopt: none has told either, or there is no such time.
  std::optional<Stretch> Training() const;
  // From now on every rank that reports is asked to end after the epoch that it is in. The first
  // reason counts.
  void AskToEnd(const std::string& reason);
  std::optional<std::string> ending() const;
  // Before a rank is started again: what its predecessor said is not its own.
  void ForgetError(const std::string& role, int64_t index);

 private:
  ReportDoor(const LaunchSpec& spec, EventWriter& events, const base::Clock& clock,
             base::Logger& log, Adviser adviser);
  net::HttpResponse Taken() const;
  // Why a request is not let in; nullopt: it may bring its report.
  std::optional<net::HttpResponse> TurnAway(const net::HttpRequest& head) const;
  net::HttpResponse Take(const std::string& body);
  // Both expect mutex_ to be held.
  void NoteTraining(const observe::Report& report, const base::Json& event);
  void Forget(const std::string& role, int64_t index);

  const std::string target_;
  const std::string authorization_;
  const std::string host_;
  EventWriter& events_;
  const base::Clock& clock_;
  base::Logger& log_;
  const Adviser adviser_;  // called by the server's thread only
  mutable std::mutex mutex_;
  std::vector<ToldError> errors_;  // in the order of coming, one a rank; guarded by mutex_
  std::set<std::pair<std::string, int64_t>> ready_;  // guarded by mutex_
  std::map<int64_t, Stretch> loops_;                 // of workers; guarded by mutex_
  std::map<int64_t, Stretch> steps_;                 // likewise
  std::optional<std::string> ending_;                // guarded by mutex_
  TakenReports taken_;                               // touched by the server's thread only
  std::unique_ptr<net::HttpServer> server_;          // the last: its thread uses all of the above
};

}  // namespace reckon::act
