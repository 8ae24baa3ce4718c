// Where the apps of a node, which must keep answering in time beside what trains there, tell how
// long their answers take.
#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "act/agents/beat.h"
#include "base/clock.h"
#include "base/result.h"
#include "net/http_server.h"

namespace reckon::act {

// Takes reports as the supervisor of a run does (docs/reporting.md), of `latency` events only what
// they say. FOLDER/apps/NAME.env has an app's environment: its address there, which stays the same
// over restarts where it can, and its token. Thread-safe.
class AppDoor {
 public:
  // Not an app more, and none less, than `node.apps` names. kIo, kUnavailable.
  static base::Result<std::unique_ptr<AppDoor>> Open(const std::filesystem::path& folder,
                                                     const NodeInfo& node,
                                                     const base::Clock& clock);
  AppDoor(const AppDoor&) = delete;
  AppDoor& operator=(const AppDoor&) = delete;

  // What each has told in the last ten seconds; in seconds of a node that is not dilated, as
  // deadlines are. Apps that have told nothing are not in it.
  std::map<std::string, AppNow> Now() const;

 private:
  struct App {
    std::string token;
    double deadline_s = 0;
  };
  struct Told {
    base::MonotonicTime at;
    double seconds = 0;
  };

  AppDoor(const NodeInfo& node, const base::Clock& clock);
  base::Status ReadTokens(const std::filesystem::path& folder);
  base::Status WriteEnvironments(const std::filesystem::path& folder) const;
  // The app whose report this is; "": nobody's.
  std::string AppOf(const net::HttpRequest& request) const;
  net::HttpResponse Take(const net::HttpRequest& request);

  const double dilation_;
  const base::Clock& clock_;
  std::map<std::string, App> apps_;  // does not change once the server has started
  mutable std::mutex mutex_;
  mutable std::map<std::string, std::deque<Told>> told_;  // guarded by mutex_
  std::unique_ptr<net::HttpServer> server_;               // the last: its thread uses the above
};

}  // namespace reckon::act
