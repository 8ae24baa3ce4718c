// The newest checkpoint of a managed run, or the model that it has trained, as its manager has it:
// a file in the run's folder.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "act/agents/beat.h"
#include "app/store_place.h"
#include "base/result.h"

namespace reckon::app {

// Not thread-safe.
class KeptCheckpoint {
 public:
  KeptCheckpoint() = default;
  // What is there already of that run, under the name that it has in the folders of parts.
  static KeptCheckpoint Find(const StorePlace& db, int64_t run_id, const std::string& file);

  const std::optional<act::FilePrint>& newest() const { return newest_; }

  // A piece of the next one, which replaces the newest when it is there whole; how much there is of
  // it. kBadInput: it is too large, does not go on where the last piece ended, or is not what its
  // print says; kIo: it cannot be kept.
  base::Result<uint64_t> Take(const act::FilePrint& print, uint64_t from, std::string_view bytes);
  // A piece of the newest. kNotFound: there is none. kIo: it cannot be read; from then on there is
  // none.
  base::Result<std::string> Read(uint64_t from);
  // The newest gets another name in its folder, in the place of what has it. kIo.
  base::Status MoveTo(const std::string& name) const;

 private:
  std::filesystem::path file_;
  std::optional<act::FilePrint> newest_;
  std::optional<act::FilePrint> coming_;
  std::string arrived_;  // of the one that is coming
};

}  // namespace reckon::app
