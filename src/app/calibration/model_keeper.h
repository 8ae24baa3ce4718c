// Learns from every run of a service: holds forecasts against what happened, and fits models anew
// that no longer describe it.
#pragma once

#include <chrono>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <thread>

#include "app/calibration/calibration.h"
#include "app/context.h"
#include "base/result.h"
#include "store/store.h"

namespace reckon::app {

struct ModelKeeperOptions {
  bool refit = true;  // models that have drifted; otherwise only when asked
  std::chrono::milliseconds look{1'000};
  // New outcomes before a model is tried again that could not be made better.
  size_t patience = 5;
};

// Has a thread of its own, one fit at a time on one processor. It keeps nothing: outcomes are in
// the store, and what it missed while it was down it finds by looking at all models when it starts.
// Tells events "model.drifted" (of each version once, and again when it is started anew),
// "model.refitted", "model.refit_refused".
class ModelKeeper {
 public:
  // The store and what `context` refers to outlive it; the context's stop token is not heeded.
  ModelKeeper(const ModelKeeperOptions& options, store::Store& store, const Context& context);
  // Ends a fit under way; it is done again by the next one.
  ~ModelKeeper();
  ModelKeeper(const ModelKeeper&) = delete;
  ModelKeeper& operator=(const ModelKeeper&) = delete;

  // Soon, whether it drifted or not. kNotFound: no such model. Thread-safe.
  base::Status AskForRefit(const std::string& model);

 private:
  void Work(const std::stop_token& stop);
  // Since it was last asked; the first time: yes.
  base::Result<bool> AnyRunFinished();
  base::Status LookAtModels(const std::stop_token& stop);
  base::Status TellDrift(const ModelCalibration& judged);
  void RefitOne(const std::string& model, const std::stop_token& stop);
  void Tell(const base::Error& error);

  const ModelKeeperOptions options_;
  store::Store& store_;
  const Context& context_;
  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::set<std::string> asked_;  // for, by callers
  // Of the thread alone: outcomes that a version had when it was last tried, and troubles told.
  std::map<int64_t, size_t> tried_with_;
  std::optional<int64_t> seen_;  // event
  std::string trouble_;
  std::jthread thread_;  // the last: it uses all of the above
};

}  // namespace reckon::app
