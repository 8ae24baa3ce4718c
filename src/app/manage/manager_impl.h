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
#include "app/manage/data_store_book.h"
#include "app/manage/data_update.h"
#include "app/manage/kept_checkpoint.h"
#include "app/manage/managed_view.h"
#include "app/manage/manager.h"
#include "app/manage/part_files.h"
#include "app/runs/accuracy_watch.h"
#include "app/runs/run_view.h"
#include "watch/budget.h"

namespace reckon::app {

// A run with something left to do.
struct Managed {
  core::Run row;
  ManagedDocument document;
  std::optional<AttemptPlan> plan;                // of the newest attempt
  std::map<std::string, PartFiles> files;         // of the newest attempt, by node
  std::optional<act::Stretch> training;           // of a run whose workers are done
  KeptCheckpoint checkpoint;                      // of the run
  std::optional<act::FilePrint> bundle;           // the code that it runs, where that was sent
  std::map<std::string, KeptCheckpoint> results;  // models that parts have trained, by node
  std::string waiting;
  std::map<std::string, std::string> data_troubles;  // of nodes that cannot get what was offered
  std::map<std::string, double> troubled_since;      // likewise, seconds since 1970
  std::string stuck_at;                              // of an update: where it does not get on
  double stuck_since = 0;                            // seconds since 1970
  std::string held_back;                             // by the queue, in words; empty: it may begin
  int64_t priority = 0;
  std::optional<AccuracyWatch> accuracy;   // of the newest attempt, where its job may end early
  std::string advice;                      // to end it, that is not in the document yet
  std::optional<ManagedRunReader> reader;  // of a run with a budget
  base::MonotonicTime look_at_budget = {};

  watch::ManagedRun& run() { return document.run; }
  // nullptr: the newest attempt has none there.
  watch::Part* PartOn(const std::string& node);
};

// The file of a planned attempt: token, ports, processes.
std::filesystem::path AttemptFile(const StorePlace& db, int64_t run_id, int64_t attempt);

// The code that a run was given, while it is at work.
std::filesystem::path BundleOfRun(const StorePlace& db, int64_t run_id);

// While all workers trained; nullopt: nobody has told.
std::optional<act::Stretch> TrainingOf(const RunView& view);

// Something that happened to the run.
core::Event EventOf(const Managed& managed, const char* kind, const base::Json& detail);

class Manager::Impl {
 public:
  Impl(const ManagerOptions& options, store::Store& store, const base::Clock& clock,
       base::Logger& log, act::RunLock lock, std::string id, DataStoreBook data_stores)
      : options_(options),
        store_(store),
        clock_(clock),
        log_(log),
        lock_(std::move(lock)),
        id_(std::move(id)),
        nodes_(options.strikes),
        bundles_(options.db.RunsFolder() / "bundles", options.most_bundle_bytes, clock),
        data_stores_(std::move(data_stores)) {}

  base::Status Load();
  void StartMoving() {
    mover_ = std::jthread([this](const std::stop_token& stop) { MoveOnAndOn(stop); });
  }

  base::Result<act::BeatAnswer> TakeBeat(const act::Beat& beat);
  base::Result<uint64_t> TakeFile(const std::string& node, const act::PartKey& key,
                                  const std::string& name, uint64_t from, std::string_view bytes);
  base::Result<uint64_t> TakeCheckpoint(const std::string& node, const act::PartKey& key,
                                        const act::FilePrint& print, uint64_t from,
                                        std::string_view bytes);
  base::Result<uint64_t> TakeResult(const std::string& node, const act::PartKey& key,
                                    const act::FilePrint& print, uint64_t from,
                                    std::string_view bytes);
  base::Result<std::string> ReadModel(int64_t run_id);
  base::Result<std::string> ReadResults(int64_t run_id);
  base::Result<std::string> ReadCheckpoint(const std::string& node, const act::PartKey& key,
                                           uint64_t from);
  base::Result<std::string> ReadBundle(const std::string& node, const act::PartKey& key,
                                       uint64_t from);
  SentBundles& bundles() { return bundles_; }
  // What a run is beside a job; nullptr: it is not.
  struct SubmitMore {
    const UpdateAsk* ask = nullptr;
    const Serving* serving = nullptr;
    const std::string* model = nullptr;
  };
  base::Result<core::Run> Submit(const JobText& job, const SubmitMore& more);
  base::Result<core::Run> Submit(const JobText& job) { return Submit(job, SubmitMore()); }
  base::Result<core::Run> Serve(const Serving& what, const std::string& model);
  std::vector<ServingRun> Servings();
  base::Result<UpdatePlan> Solve(const JobText& job, const UpdateAsk& ask);
  base::Result<UpdateReport> ReportUpdate(int64_t run_id);
  base::Status OfferData(int64_t run_id, int64_t attempt, const UpdateOffer& offer);
  base::Status RegisterTask(int64_t run_id, int64_t attempt,
                            const std::vector<spec::Override>& overrides);
  base::Status AskAgain(int64_t run_id, int64_t attempt);
  base::Result<DataStoreAnswer> HearDataStore(const std::string& name, int64_t images,
                                              int64_t new_images);
  base::Status WantUpdate(const std::string& data_store, const std::string& reason);
  std::vector<KnownDataStore> DataStores();
  base::Status RequestStop(int64_t run_id, const std::string& reason);
  base::Result<ManagedReport> Report(int64_t run_id);
  base::Result<std::vector<core::Spend>> SpendSince(std::optional<base::WallTime> since);
  std::vector<KnownNode> Nodes();
  base::Status ForgiveNode(const std::string& name);
  base::Status RemoveNode(const std::string& name);
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
  base::Result<std::string> ReadLeft(int64_t run_id, const char* file, const char* what);
  KeptCheckpoint& ResultOf(Managed& managed, const std::string& node);
  bool WantsResult(Managed& managed, const watch::Part& part, const act::PartFacts& facts);
  PartFiles& FilesOf(Managed& managed, const std::string& node);
  // kNotFound: the newest attempt has none there.
  base::Result<Managed*> FindPart(const std::string& node, const act::PartKey& key);
  void FoldNews(Managed& managed, watch::Part& part);
  void WatchAccuracy(Managed& managed);
  void TakeAdvice(Managed& managed);
  void WatchBudget(Managed& managed);
  bool ChangeCrew(Managed& managed, const watch::BudgetFacts& facts);
  base::Status LoadRun(const core::ManagedRun& stored);
  base::Status CheckBundle(const JobText& job, const core::Job& is);
  void LookAtNodes();
  std::vector<int64_t> Queue();
  bool MoveRun(Managed& managed);
  bool Plan(Managed& managed);
  void BeginAttempt(ManagedDocument& next) const;
  void MakeFolders(int64_t run_id, const watch::ManagedRun& run) const;
  bool PlanUpdate(Managed& managed, const spec::JobFile& file);
  void WatchDataStore(Managed& managed);
  UpdateAsks AsksOf(Managed& managed) const;
  UpdateReport UpdateOf(Managed& managed) const;
  // kNotFound, kFailed: it is no update, or not where `asks` says that it should be.
  base::Result<Managed*> FindUpdate(int64_t run_id, int64_t attempt, UpdateAsks asks);
  std::vector<KnownNode> FreeNodes();
  std::vector<KnownNode> IdlestNodes();
  std::string WhyToWait(size_t wanted, size_t free, bool for_sent_code) const;
  base::Status Commit(Managed& managed, ManagedDocument next, const std::string& reason,
                      NodeNews news, const std::string& plan = "", const std::string& job = "");
  // Its bill is written, and the store knows that nothing is left to do for it.
  bool Close(Managed& managed);
  void Fail(Managed& managed, const std::string& reason);
  base::Status Forecast(const Managed& managed, base::Json& plan);
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
  SentBundles bundles_;  // has a lock of its own
  DataStoreBook data_stores_;
  NodeNews unsaved_;                    // that the store did not take yet
  std::optional<int64_t> waits_first_;  // of this round: the run that the next free nodes are for
  std::map<int64_t, Managed> runs_;     // that are open, by number
  std::string trouble_;                 // that was told already
  std::jthread mover_;                  // the last: it uses all of the above
};

}  // namespace reckon::app
