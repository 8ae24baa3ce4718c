// The manager: knows nodes by what their agents say, gives them the parts of runs, and moves runs
// on until they have ended. What it has decided is in the store before any agent hears of it, so
// that a manager that was killed goes on where it was. docs/service.md has the whole.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "act/agents/beat.h"
#include "app/manage/data_store_book.h"
#include "app/manage/data_update.h"
#include "app/manage/managed_json.h"
#include "app/manage/node_book.h"
#include "app/manage/sent_bundles.h"
#include "app/store_place.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/result.h"
#include "core/run.h"
#include "store/store.h"
#include "watch/managed_run.h"
#include "watch/run_queue.h"
#include "watch/strikes.h"

namespace reckon::app {

struct ManagerOptions {
  StorePlace db;
  watch::StrikePolicy strikes;
  watch::MovePolicy moves;
  double beat_s = 1;  // between the words of an agent
  // A run that would get fewer nodes than it wants waits until none has joined for so long: agents
  // that are started together are not all heard at once.
  double gather_s = 5;
  // A data store that is to say what happens next and is silent for so long has given it up.
  double data_store_patience_s = 60;
  // One that speaks, or nodes that try to get their files, without getting on.
  double update_patience_s = 300;
  watch::QueueLimits limits;
  uint64_t most_bundle_bytes = uint64_t{256} << 20;  // of code that somebody sends for a run
};

// A run and what its manager knows of it.
struct ManagedReport {
  core::Run run;
  watch::ManagedRun managed;
  double spent = 0;       // dollars until now
  double per_second = 0;  // dollars that it costs now
  std::string waiting;    // why it does not begin; empty: it does not wait
};

// A model update, for the data store that has asked for it.
struct UpdateReport {
  core::Run run;
  int64_t attempt = 0;
  UpdateAsks asks = UpdateAsks::kNothing;
  UpdatePlan plan;                    // of the attempt
  std::vector<std::string> has_data;  // nodes that have their files
  std::string trouble;                // of one that cannot get them
  std::string waiting;                // why it does not begin
  std::string failure;                // of the last attempt
};

// What a data store hears when it says that it is there.
struct DataStoreAnswer {
  std::string wanted;                  // why somebody wants an update of it; empty: nobody does
  std::optional<UpdateReport> update;  // its newest one, while it is open
};

// A run that answers for a published model.
struct ServingRun {
  int64_t run_id = 0;
  Serving of;
  std::string node;
  std::string url;    // of the worker; empty: it does not run yet
  std::string token;  // that the worker wants to be shown
};

// Thread-safe. Has a thread of its own, which moves runs on.
class Manager {
 public:
  // kUnavailable: another manager has this store. The store, clock and log outlive it.
  static base::Result<std::unique_ptr<Manager>> Open(const ManagerOptions& options,
                                                     store::Store& store, const base::Clock& clock,
                                                     base::Logger& log);
  // Runs go on without it, and with the next manager.
  ~Manager();
  Manager(const Manager&) = delete;
  Manager& operator=(const Manager&) = delete;

  // From agents. kUnavailable: another agent speaks for that node, or the store cannot be written.
  base::Result<act::BeatAnswer> TakeBeat(const act::Beat& beat);
  // Bytes of a part's file, from an offset on; how many there are now. kNotFound: no such part;
  // kBadInput: the offset is beyond what is there.
  base::Result<uint64_t> TakeFile(const std::string& node, const act::PartKey& key,
                                  const std::string& name, uint64_t from, std::string_view bytes);

  // A piece of a part's checkpoint, from an offset on; how much of it there is now. A first piece
  // begins anew. kNotFound: no such part of the newest attempt; kBadInput: it is too large, the
  // offset is not where the last piece ended, or the whole is not what it was said to be.
  base::Result<uint64_t> TakeCheckpoint(const std::string& node, const act::PartKey& key,
                                        const act::FilePrint& print, uint64_t from,
                                        std::string_view bytes);
  // Likewise, of the model that a part of the newest attempt has trained.
  base::Result<uint64_t> TakeResult(const std::string& node, const act::PartKey& key,
                                    const act::FilePrint& print, uint64_t from,
                                    std::string_view bytes);
  // A piece of the one that the newest attempt begins with. kNotFound: there is none, or that
  // attempt has no part on the node.
  base::Result<std::string> ReadCheckpoint(const std::string& node, const act::PartKey& key,
                                           uint64_t from);

  // A piece of the code that a part runs. kNotFound: likewise.
  base::Result<std::string> ReadBundle(const std::string& node, const act::PartKey& key,
                                       uint64_t from);

  // From data stores (docs/service.md#model-updates). kBadInput: the job trains no network, the
  // policy is unknown, or the store has asked already.
  base::Result<core::Run> AskForUpdate(const JobText& job, const UpdateAsk& ask);
  // The plan that it would have with the nodes that are free now; nothing is begun. kUnavailable:
  // too few are.
  base::Result<UpdatePlan> Solve(const JobText& job, const UpdateAsk& ask);
  // kNotFound: no such run here, or it is no update.
  base::Result<UpdateReport> ReportUpdate(int64_t run_id);
  // Where the nodes of that attempt get their files. kBadInput: files are missing, or not those of
  // its shares. kFailed: the attempt does not wait for an offer.
  base::Status OfferData(int64_t run_id, int64_t attempt, const UpdateOffer& offer);
  // What they shall do once they have them: the job with these changes. kFailed: likewise.
  base::Status RegisterTask(int64_t run_id, int64_t attempt,
                            const std::vector<spec::Override>& overrides);
  // The attempt has failed: another one is wanted. kFailed: it has not.
  base::Status AskAgain(int64_t run_id, int64_t attempt);
  // Its word, every second; kept for who wants to know which stores there are.
  base::Result<DataStoreAnswer> HearDataStore(const std::string& name, int64_t images,
                                              int64_t new_images);

  // A run that answers with a model's file until it is stopped, on the idlest node, whoever else
  // works there.
  base::Result<core::Run> Serve(const Serving& what, const std::string& model);
  // Those that have not ended and are not to be stopped.
  std::vector<ServingRun> Servings();

  // From people. kNotFound: no such data store.
  base::Status WantUpdate(const std::string& data_store, const std::string& reason);
  std::vector<KnownDataStore> DataStores();
  // Code that is sent for runs (JobText::bundle).
  SentBundles& bundles();
  // kBadInput: what is wrong with the job, with file, line and key.
  base::Result<core::Run> Submit(const JobText& job);
  // Returns at once. kNotFound: no such run here; kBadInput: it has ended.
  base::Status RequestStop(int64_t run_id, const std::string& reason);
  // kNotFound: no such run, or no manager carries it out.
  base::Result<ManagedReport> Report(int64_t run_id);
  // The model that it has trained. kNotFound: no such run, or it has none.
  base::Result<std::string> ReadModel(int64_t run_id);
  // What code that was sent for it has left in its folder `results`, as an archive. kNotFound.
  base::Result<std::string> ReadResults(int64_t run_id);
  // What runs have cost, those at work until now included, by user and project; of runs that ended
  // since then, or of all.
  base::Result<std::vector<core::Spend>> SpendSince(std::optional<base::WallTime> since);
  std::vector<KnownNode> Nodes();
  // Its strikes count no more. kNotFound.
  base::Status ForgiveNode(const std::string& name);
  // Forgets it, and its agent's secret is good for nothing any more. kFailed: a run is at work
  // there. kNotFound.
  base::Status RemoveNode(const std::string& name);
  size_t OpenRuns();

 private:
  class Impl;
  explicit Manager(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
};

}  // namespace reckon::app
