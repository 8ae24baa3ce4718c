// Brings the files that a part trains on from the data store that offers them.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "act/agents/beat.h"
#include "base/clock.h"
#include "base/result.h"
#include "net/http_client.h"
#include "net/tls.h"

namespace reckon::act {

// What an offered file is asked for with: GET SOURCE/NAME?from=N gives bytes from there on.
inline constexpr size_t kOfferedPiece = 1 << 20;  // bytes an answer

// The print of a file that need not fit into memory.
base::Result<FilePrint> PrintOfFile(const std::filesystem::path& file);

// In pieces, so that beats are not late: every call does as much as it can until a moment, and the
// next one goes on; so does another agent on the same folder, from what is there. Not thread-safe.
class DataFetch {
 public:
  // `tls`: whom to believe where the source is https.
  DataFetch(const base::Clock& clock, std::shared_ptr<const net::TlsTrust> tls)
      : clock_(clock), tls_(std::move(tls)) {}

  // True: all files are in the folder, whole. kCorrupt: what came is another file; it begins anew.
  base::Result<bool> Fetch(const std::filesystem::path& folder, const DataWish& wish,
                           base::MonotonicTime until);

 private:
  base::Result<bool> FetchFile(const std::filesystem::path& folder, const DataWish& wish,
                               const DataWish::File& file, base::MonotonicTime until);
  base::Result<std::string> Piece(const DataWish& wish, const std::string& name, uint64_t from);

  const base::Clock& clock_;
  const std::shared_ptr<const net::TlsTrust> tls_;
  std::string source_;  // of the client
  std::string target_;  // its path
  std::optional<net::HttpClient> client_;
};

}  // namespace reckon::act
