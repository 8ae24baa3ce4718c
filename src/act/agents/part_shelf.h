// The parts of runs that an agent has on its node: a folder each, which outlives the agent.
#pragma once

#include <cstdint>
#include <filesystem>
#include <future>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "act/agents/beat.h"
#include "act/agents/checkpoint_relay.h"
#include "act/local/run_folder.h"
#include "act/place.h"
#include "act/sandbox.h"
#include "base/clock.h"
#include "base/folder.h"
#include "base/result.h"

namespace reckon::act {

struct ShelfOptions {
  std::filesystem::path folder;    // of this node alone
  std::filesystem::path programs;  // where reckon-supervise and its kin are
  Place place;                     // of the node's processes; `host` and `address` are the spec's
  SandboxUse sandbox = SandboxUse::kSent;
  std::vector<std::string> shared = {};  // folders that what runs in a sandbox may read
};

// In the folder of files of a part that is not made yet: the code that was sent for it. And the
// folder in the part's that it becomes.
inline constexpr const char* kBundleFile = "bundle";
inline constexpr const char* kBundleFolder = "work";
// What such code leaves in the folder of that name in its own goes up as that file, from the node
// of the first worker.
inline constexpr const char* kResultsFolder = "results";
inline constexpr const char* kResultsFile = "results.tar.gz";

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
  // What the part has to show: the model that it has trained, or the results of code that was sent.
  std::filesystem::path ResultOf(const std::string& manager, const PartKey& key) const;
  // Where files of a part that is not made yet are brought; they become the part's.
  std::filesystem::path DataFolderOf(const std::string& manager, const PartKey& key) const;
  // Of code that was sent and is there whole: unpacks it, beside the beats. True: that is done.
  base::Result<bool> UnpackCode(const std::string& manager, const PartKey& key);
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
  // The folder with the code that was sent, or an empty one, as the part's own.
  base::Status TakeCode(const RunFolder& folder, const PartWish& wish, base::AtomicFolder& made,
                        LaunchSpec& spec) const;
  base::Status Start(const RunFolder& folder) const;
  base::Status Order(const RunFolder& folder, const PartWish& wish) const;
  base::Status Stop(const RunFolder& folder);
  base::Status Forget(const RunFolder& folder);
  // Of a part that has ended: packs what its code has left. True: that is not done yet.
  bool PacksResults(const RunFolder& folder);
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
  // Beside the beats, which must not be late; likewise.
  std::map<std::string, std::future<base::Status>> packing_;
  std::map<std::string, std::future<base::Status>> unpacking_;  // by folder of data
  std::set<std::string> without_results_;  // whose results cannot be packed, likewise
};

}  // namespace reckon::act
