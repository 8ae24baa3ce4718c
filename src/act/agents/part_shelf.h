// The parts of runs that an agent has on its node: a folder each, which outlives the agent.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "act/agents/beat.h"
#include "act/agents/checkpoint_relay.h"
#include "act/local/run_folder.h"
#include "act/place.h"
#include "base/clock.h"
#include "base/result.h"

namespace reckon::act {

struct ShelfOptions {
  std::filesystem::path folder;    // of this node alone
  std::filesystem::path programs;  // where reckon-supervise and its kin are
  Place place;                     // of the node's processes; `host` and `address` are the spec's
};

// Folders MANAGER/RUN.ATTEMPT below the shelf's. Every call may be made twice, and after a crash at
// any moment again. Not thread-safe; one agent at a time, which holds the folder's lock.
class PartShelf {
 public:
  // Makes the folder. kUnavailable: another agent has it.
  static base::Result<PartShelf> Open(ShelfOptions options, const base::Clock& clock);

  // All parts of that manager's; ends what a supervisor that was killed has left behind.
  std::vector<PartFacts> List(const std::string& manager);
  // Makes true what is wanted, as far as it can be done at once. What goes wrong is told by the
  // next List.
  void Fulfil(const std::string& manager, const PartWish& wish);
  // Asks all that is at work, of whichever manager, to stop.
  void StopAll();

  std::filesystem::path CheckpointOf(const std::string& manager, const PartKey& key) const;
  std::filesystem::path ResultOf(const std::string& manager, const PartKey& key) const;
  // Where files of a part that is not made yet are brought; they become the part's.
  std::filesystem::path DataFolderOf(const std::string& manager, const PartKey& key) const;
  // All of them are there, or why they are not yet.
  void NoteData(const std::string& manager, const PartKey& key, bool whole,
                const std::string& trouble);
  // At most `most` bytes of a part's file from `offset` on.
  base::Result<std::string> ReadBytes(const std::string& manager, const PartKey& key,
                                      const std::string& file, uint64_t offset, size_t most) const;

 private:
  PartShelf(ShelfOptions options, const base::Clock& clock, RunLock lock);

  RunFolder FolderOf(const std::string& manager, const PartKey& key) const;
  PartFacts FactsOf(const RunFolder& folder, const PartKey& key);
  base::Status Prepare(const RunFolder& folder, const PartWish& wish) const;
  base::Status Start(const RunFolder& folder) const;
  base::Status Order(const RunFolder& folder, const PartWish& wish) const;
  base::Status Stop(const RunFolder& folder);
  base::Status Forget(const RunFolder& folder);
  // Ends what a killed supervisor has left, now and then; what does not die, in words.
  std::string Sweep(const RunFolder& folder);
  base::Status Try(const RunFolder& folder, const PartWish& wish);

  const ShelfOptions options_;
  CheckpointPrints prints_;
  const base::Clock& clock_;
  RunLock lock_;
  std::map<std::string, std::string> troubles_;                  // by folder
  std::map<std::string, std::string> data_troubles_;             // by folder of data
  std::map<std::string, base::MonotonicTime> asked_to_stop_at_;  // likewise
  struct Swept {
    base::MonotonicTime at = {};
    std::string left = {};
  };
  std::map<std::string, Swept> swept_;  // of leftovers, likewise
};

}  // namespace reckon::act
