// Who changed what, and who was turned away: lines of JSON beside the store that are only ever
// added.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/store_place.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/result.h"

namespace reckon::app {

struct AuditEntry {
  std::string token;  // its name; "" for who has none
  std::optional<int64_t> token_id;
  std::string user;
  std::string scope;
  std::string from;                         // an address, or "local" for commands on the store
  std::string method;                       // "POST"
  std::string route;                        // "/api/v1/runs/{id}/stop"
  std::map<std::string, std::string> path;  // what stood for its names
  std::optional<int64_t> made;              // the number of what was made
  int status = 0;
  std::string why;        // somebody was turned away
  uint64_t unlisted = 0;  // so many others were since the last one that is listed
};

struct AuditOptions {
  uint64_t most_bytes = 8 << 20;  // of a file, before the next one is begun
  int kept_files = 10;            // with the one that is written
};

// "reckon.audit.jsonl" for "reckon.db", of a database on a server "audit.jsonl" in the folder of
// its runs; older ones are "reckon.audit.1.jsonl" and so on.
std::filesystem::path AuditFile(const StorePlace& place);

// Several processes may write one log: each line is added under a lock of the file. Not
// thread-safe. The clock outlives it.
class AuditLog {
 public:
  AuditLog(std::filesystem::path file, const base::Clock& clock, const AuditOptions& options = {})
      : file_(std::move(file)), clock_(clock), options_(options) {}

  // On disk when it returns. A line that cannot be written is kept for CatchUp.
  base::Status Write(const AuditEntry& entry);
  // Writes what could not be written before. Who asks before a change carries out none that would
  // be missing here, but for the first when a disk fails.
  base::Status CatchUp();

 private:
  struct Kept {
    base::WallTime at;
    AuditEntry entry;
  };
  base::Status Append(const Kept& kept);

  const std::filesystem::path file_;
  const base::Clock& clock_;
  const AuditOptions options_;
  std::vector<Kept> kept_;  // not written yet
};

// At most `limit` lines, newest first, of ids below `before` when given.
base::Result<std::vector<base::Json>> ReadAudit(const std::filesystem::path& file, size_t limit,
                                                std::optional<int64_t> before,
                                                const AuditOptions& options = {});

}  // namespace reckon::app
