// Inside the manager: what its thread, its agents and its callers share. Private to app/manage.
#pragma once

#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "act/local/node_watch.h"
#include "act/local/run_folder.h"
#include "app/manage/attempt_plan.h"
#include "app/manage/manager.h"
#include "app/manage/part_files.h"
#include "app/runs/run_view.h"

namespace reckon::app {

// A run with something left to do.
struct Managed {
  core::Run row;
  ManagedDocument document;
  std::optional<AttemptPlan> plan;         // of the newest attempt
  std::map<std::string, PartFiles> files;  // of the newest attempt, by node
  std::optional<act::Stretch> training;    // of a run whose workers are done
  std::string waiting;

  watch::ManagedRun& run() { return document.run; }
  // nullptr: the newest attempt has none there.
  watch::Part* PartOn(const std::string& node);
};

// The file of a planned attempt: token, ports, processes.
std::filesystem::path AttemptFile(const std::filesystem::path& db, int64_t run_id, int64_t attempt);

// While all workers trained; nullopt: nobody has told.
std::optional<act::Stretch> TrainingOf(const RunView& view);

class Manager::Impl {
 public:
  Impl(const ManagerOptions& options, store::Store& store, const base::Clock& clock,
       base::Logger& log, act::RunLock lock, std::string id)
      : options_(options),
        store_(store),
        clock_(clock),
        log_(log),
        lock_(std::move(lock)),
        id_(std::move(id)),
        nodes_(options.strikes) {}

  base::Status Load();
  void StartMoving() {
    mover_ = std::jthread([this](const std::stop_token& stop) { MoveOnAndOn(stop); });
  }

  base::Result<act::BeatAnswer> TakeBeat(const act::Beat& beat);
  base::Result<uint64_t> TakeFile(const std::string& node, const act::PartKey& key,
                                  const std::string& name, uint64_t from, std::string_view bytes);
  base::Result<core::Run> Submit(const JobText& job);
  base::Status RequestStop(int64_t run_id, const std::string& reason);
  base::Result<ManagedReport> Report(int64_t run_id);
  std::vector<KnownNode> Nodes();
  size_t OpenRuns();

 private:
  // All of the following expect mutex_ to be held, but the first.
  void MoveOnAndOn(const std::stop_token& stop);
  double Now() const {
    return std::chrono::duration<double>(clock_.Now().time_since_epoch()).count();
  }
  void Wake() {
    news_ = true;
    wake_.notify_all();
  }
  void SaveNews(NodeNews news);
  void TellTrouble(const base::Error& error);  // once, however often it is met
  void TakeFacts(Managed& managed, watch::Part& part, const act::PartFacts* facts);
  act::PartWish WishFor(Managed& managed, const watch::Part& part, const act::PartFacts* facts);
  act::PartWish WishForOld(const std::string& node, const act::PartFacts& facts);
  PartFiles& FilesOf(Managed& managed, const std::string& node);
  void FoldNews(Managed& managed, watch::Part& part);
  base::Status LoadRun(const core::ManagedRun& stored);
  void LookAtNodes();
  bool MoveRun(Managed& managed);
  bool Plan(Managed& managed);
  std::vector<act::NodeInfo> FreeNodes();
  std::string WhyToWait(size_t wanted, size_t free) const;
  base::Status Commit(Managed& managed, ManagedDocument next, const std::string& reason,
                      NodeNews news, const std::string& plan = "");
  void Fail(Managed& managed, const std::string& reason);
  std::vector<core::CollectedRows> Samples(const Managed& managed, const ManagedDocument& next);

  const ManagerOptions options_;
  store::Store& store_;
  const base::Clock& clock_;
  base::Logger& log_;
  const act::RunLock lock_;
  const std::string id_;

  std::mutex mutex_;
  std::condition_variable_any wake_;
  bool news_ = false;
  NodeBook nodes_;
  NodeNews unsaved_;                 // that the store did not take yet
  std::map<int64_t, Managed> runs_;  // that are open, by number
  std::string trouble_;              // that was told already
  std::jthread mover_;               // the last: it uses all of the above
};

}  // namespace reckon::app
