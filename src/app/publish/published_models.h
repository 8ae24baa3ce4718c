// Models that were published: versions of a name, one of which is live and answers what images show
// (Deep-Edge, Fig. 1). The live one is served by a worker on a node, which the manager starts, and
// starts again elsewhere when it is lost.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "app/context.h"
#include "app/manage/managed_view.h"
#include "app/manage/manager.h"
#include "app/publish/recent_inputs.h"
#include "base/json.h"
#include "base/result.h"
#include "core/published.h"
#include "store/store.h"

namespace reckon::app {

// Thread-safe; has a thread of its own, which brings up who serves. All of the arguments outlive
// it.
class PublishedModels {
 public:
  PublishedModels(Manager& manager, store::Store& store, ManagedViews& views,
                  const Context& context);
  ~PublishedModels();
  PublishedModels(const PublishedModels&) = delete;
  PublishedModels& operator=(const PublishedModels&) = delete;

  // What the run has trained becomes the next version of that name. It is live at once where it is
  // not worse than the live one, or `force`d; the answer says why it is not. kNotFound: no such
  // run, or it has left no model.
  base::Result<base::Json> Publish(const std::string& name, int64_t run_id, bool force);
  // kNotFound: no such version.
  base::Result<base::Json> Promote(const std::string& name, int64_t version);
  // The newest one before the live one that was live, too. kNotFound: there is none.
  base::Result<base::Json> RollBack(const std::string& name);
  // Of one name, or all.
  base::Result<base::Json> List(const std::string& name = "");

  // What images show: {"images": [[0, 255, ...], ...]}, or their bytes. Waits for the answer.
  // kNotFound: nothing of that name is live; kUnavailable: nobody serves it yet.
  base::Result<base::Json> Predict(const std::string& name, const std::string& body, bool is_json);
  // What they are, by the ids of the answers. kNotFound: one is none of the newest; those before it
  // are kept.
  base::Status Label(const std::string& name,
                     const std::vector<std::pair<int64_t, int64_t>>& labels);
  // Images with labels, from an id on.
  base::Result<base::Json> Labelled(const std::string& name, int64_t after, size_t most);

 private:
  void ServeOnAndOn(const std::stop_token& stop);
  base::Status Look();
  base::Status BringUp(const core::PublishedModel& live);
  bool Answers(const ServingRun& run);
  base::Result<std::vector<core::PublishedModel>> VersionsOf(const std::string& name);
  base::Result<base::Json> ShowName(const std::string& name);
  // The next two expect mutex_ to be held.
  base::Result<RecentInputs*> RecentOf(const std::string& name);
  base::Json NameJson(const std::vector<core::PublishedModel>& versions);
  std::optional<double> AccuracyOfRun(int64_t run_id);

  Manager& manager_;
  store::Store& store_;
  ManagedViews& views_;
  const Context& context_;
  const std::filesystem::path folder_;
  std::map<int64_t, std::string>
      answered_;  // where serving runs have answered; of the thread's own

  std::mutex mutex_;  // guards what follows
  std::map<std::string, RecentInputs> recent_;
  std::map<std::string, ServingRun> serving_;  // of live ones that answer, by name
  struct Pause {
    base::MonotonicTime until{};
    std::chrono::seconds next{5};
  };
  std::map<std::string, Pause> pauses_;  // after a serving run that has failed
  std::string trouble_;
  std::condition_variable_any wake_;
  std::jthread thread_;  // the last: it uses all of the above
};

}  // namespace reckon::app
