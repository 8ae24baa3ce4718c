// The manager: knows nodes by what their agents say, gives them the parts of runs, and moves runs
// on until they have ended. What it has decided is in the store before any agent hears of it, so
// that a manager that was killed goes on where it was. docs/service.md has the whole.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "act/agents/beat.h"
#include "app/manage/managed_json.h"
#include "app/manage/node_book.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/result.h"
#include "core/run.h"
#include "store/store.h"
#include "watch/managed_run.h"
#include "watch/strikes.h"

namespace reckon::app {

struct ManagerOptions {
  std::filesystem::path db;
  watch::StrikePolicy strikes;
  watch::MovePolicy moves;
  double beat_s = 1;  // between the words of an agent
  // A run that would get fewer nodes than it wants waits until none has joined for so long: agents
  // that are started together are not all heard at once.
  double gather_s = 5;
};

// A run and what its manager knows of it.
struct ManagedReport {
  core::Run run;
  watch::ManagedRun managed;
  double spent = 0;     // dollars until now
  std::string waiting;  // why it does not begin; empty: it does not wait
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

  // From people. kBadInput: what is wrong with the job, with file, line and key.
  base::Result<core::Run> Submit(const JobText& job);
  // Returns at once. kNotFound: no such run here; kBadInput: it has ended.
  base::Status RequestStop(int64_t run_id, const std::string& reason);
  // kNotFound: no such run, or no manager carries it out.
  base::Result<ManagedReport> Report(int64_t run_id);
  std::vector<KnownNode> Nodes();
  size_t OpenRuns();

 private:
  class Impl;
  explicit Manager(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
};

}  // namespace reckon::app
