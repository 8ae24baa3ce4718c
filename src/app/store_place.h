// The store that a program works with, and where runs keep their files on this machine.
#pragma once

#include <filesystem>
#include <string>
#include <utility>

#include "base/json.h"
#include "base/result.h"
#include "core/run.h"
#include "store/address.h"

namespace reckon::app {

class StorePlace {
 public:
  // `store`: a file, or a URL. `runs`: the folder of all runs' folders; empty for the usual one.
  StorePlace(const std::filesystem::path& store = {},  // NOLINT(*-explicit-*): a file is a place
             std::filesystem::path runs = {})
      : address_(store), runs_(std::move(runs)) {}

  const store::StoreAddress& address() const { return address_; }
  // For messages.
  const std::string& name() const { return address_.name(); }
  // For other programs of ours, wherever they work. May hold a password.
  std::string ForPrograms() const;

  // "reckon.runs" beside the file "reckon.db", "a.sqlite.runs" beside "a.sqlite"; of a database on
  // a server a folder of its own in $XDG_STATE_HOME/reckon (~/.local/state/reckon); or what was
  // given.
  std::filesystem::path RunsFolder() const;
  // Whether that folder goes with the store, so that whoever has the one has the other.
  bool KeepsRunsBeside() const { return runs_.empty() && !address_.IsPostgres(); }

 private:
  store::StoreAddress address_;
  std::filesystem::path runs_;
};

// A folder of runs that does not lie beside its store has a mark that no other one has. Their plans
// name it, so that nobody who does not find a run's files takes it for dead.
struct RunsMark {
  std::string host;
  std::string folder;
  std::string mark;
};

// Makes the folder and its mark if need be. kBadInput: it keeps the runs of another store, whose
// numbers would be mistaken for those of this one.
base::Result<RunsMark> ClaimRunsFolder(const StorePlace& place);

// What plans of runs that keep their files there say under "kept".
base::Json ToJson(const RunsMark& mark);

// Where the files of a run are that does not keep them here, in words; "" when it does.
std::string KeptElsewhere(const StorePlace& place, const core::Run& run);

}  // namespace reckon::app
