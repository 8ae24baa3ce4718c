// Brings a part's checkpoints to the manager, and the one that a run goes on from to a part. Nodes
// get lost together with their disks: what a training has come to must not lie on one alone.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "act/agents/beat.h"
#include "base/clock.h"
#include "base/result.h"
#include "net/http_message.h"

namespace reckon::act {

// Name of the file in a part's folder.
inline constexpr const char* kCheckpointFile = "checkpoint";
// Of the model that a part has trained.
inline constexpr const char* kResultFile = "trained.model";
// Larger ones stay where they are.
inline constexpr uint64_t kMostCheckpointBytes = uint64_t{256} << 20;

// Of text that was read whole.
FilePrint PrintOf(std::string_view text);

// Reads files again only when they have changed. Checkpoints are replaced as a whole. Not
// thread-safe.
class CheckpointPrints {
 public:
  // nullopt: there is none, it is too large, or it cannot be read now.
  std::optional<FilePrint> Of(const std::filesystem::path& file);

 private:
  struct Seen {
    std::filesystem::file_time_type changed;
    FilePrint print;
  };
  std::map<std::string, Seen> seen_;
};

// One file at a time in each direction, in pieces, so that beats are not late: every call does as
// much as it can until a moment, and the next one goes on. Not thread-safe.
class CheckpointRelay {
 public:
  // A request to the manager; an error when its answer is no success.
  using Ask = std::function<base::Result<net::HttpResponse>(const net::HttpRequest&)>;
  // `what`: "checkpoint" or "result", the last part of its address.
  CheckpointRelay(std::string node, std::string what, const base::Clock& clock, Ask ask)
      : node_(std::move(node)), what_(std::move(what)), clock_(clock), ask_(std::move(ask)) {}

  // The file as it is now goes up. True: there is more to send.
  base::Result<bool> Send(const PartKey& key, const std::filesystem::path& file,
                          base::MonotonicTime until);
  // The content, once it is there whole. kCorrupt: what came is another one.
  base::Result<std::optional<std::string>> Fetch(const PartKey& key, const FilePrint& wanted,
                                                 base::MonotonicTime until);

 private:
  struct Cargo {
    PartKey key;
    FilePrint print;
    std::string text;
    uint64_t sent = 0;
  };
  std::string Target(const PartKey& key) const;

  const std::string node_;
  const std::string what_;
  const base::Clock& clock_;
  const Ask ask_;
  std::optional<Cargo> outgoing_;
  std::optional<Cargo> incoming_;
};

}  // namespace reckon::act
