// Code that people have sent, on its way to runs: a file each, known by its SHA-256.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "act/agents/beat.h"
#include "base/clock.h"
#include "base/result.h"

namespace reckon::app {

struct SentBundle {
  uint64_t have = 0;  // bytes
  bool whole = false;
};

// Comes in pieces, and may go on after a break. What is not asked for within a day goes.
// Thread-safe; the last piece of a large one takes seconds, since all of it is read and checked
// then, for which the others do not wait.
class SentBundles {
 public:
  SentBundles(std::filesystem::path folder, uint64_t most_bytes, const base::Clock& clock)
      : folder_(std::move(folder)), most_bytes_(most_bytes), clock_(clock) {}

  // kBadInput: that is no SHA-256.
  base::Result<SentBundle> Find(const std::string& sha256);
  // A piece of one of so many bytes, from an offset on. kBadInput: it is too large, does not go on
  // where the last piece ended, is not what its name says, or has entries that nobody should
  // unpack; kUnavailable: too much is here already.
  base::Result<SentBundle> Take(const std::string& sha256, uint64_t bytes, uint64_t from,
                                std::string_view piece);
  // A whole one becomes that file too; which content it has. kBadInput: it is not here.
  base::Result<act::FilePrint> Link(const std::string& sha256, const std::filesystem::path& file);

 private:
  // These expect mutex_ to be held.
  SentBundle FindLocked(const std::string& sha256) const;
  base::Status MakeRoom(uint64_t bytes);
  base::Result<SentBundle> Append(const std::string& sha256, uint64_t bytes, uint64_t from,
                                  std::string_view piece);
  // This one not: it takes long, and nobody else touches what is being checked.
  base::Status Accept(const std::string& sha256);

  const std::filesystem::path folder_;
  const uint64_t most_bytes_;
  const base::Clock& clock_;
  std::mutex mutex_;
  std::set<std::string> checking_;                // all of it is here; guarded by mutex_
  std::map<std::string, act::FilePrint> prints_;  // of whole ones, where known; likewise
};

}  // namespace reckon::app
