// Hands a request to stop on to the supervisor of a run, from before it is started.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>

#include "act/local/run_folder.h"

namespace reckon::app {

// A second Ctrl-C ends this process at once, and by then the supervisor must have been asked:
// whoever requests the stop while it is being started waits here until it can hear.
class StopPass {
 public:
  explicit StopPass(const std::stop_token& stop) : ask_(stop, [this] { Ask(); }) {}

  // From here on a request waits for the end of this object's life, or for Started. What was
  // requested before is the caller's to see.
  class Starting {
   public:
    explicit Starting(StopPass& pass) : pass_(pass) { pass_.Change(true, {}); }
    ~Starting() { pass_.Change(false, folder_); }
    Starting(const Starting&) = delete;
    Starting& operator=(const Starting&) = delete;
    void Started(const act::RunFolder& folder) { folder_ = folder; }

   private:
    StopPass& pass_;
    std::optional<act::RunFolder> folder_;
  };

 private:
  void Change(bool starting, const std::optional<act::RunFolder>& folder) {
    const std::scoped_lock lock(mutex_);
    starting_ = starting;
    folder_ = folder;
    changed_.notify_all();
  }

  void Ask() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return !starting_; });
    // What goes wrong shows when FollowRun asks again.
    if (folder_) (void)act::RequestStop(*folder_);
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  bool starting_ = false;
  std::optional<act::RunFolder> folder_;
  std::stop_callback<std::function<void()>> ask_;  // last: it may call at once
};

}  // namespace reckon::app
