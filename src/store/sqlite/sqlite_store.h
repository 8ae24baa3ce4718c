// The Store in one SQLite file: what Reckon uses unless told otherwise.
#pragma once

#include <filesystem>
#include <memory>

#include "base/clock.h"
#include "store/open_options.h"
#include "store/sql/sql_store.h"

namespace reckon::store {

// Processes share the file through SQLite's locks: readers never wait for writers, writers wait for
// each other up to the busy timeout.
class SqliteStore final : public SqlStore {
 public:
  // Opens `path`, makes it if nothing is there, and migrates it to this program's schema. The clock
  // outlives the store. Besides the errors of every call: kCorrupt for a file that is not ours
  // (which stays as it is), kBadInput for a folder, a device or a store of a newer program,
  // kNotFound when the folder, or without `create` the file, does not exist.
  static base::Result<std::unique_ptr<SqliteStore>> Open(const std::filesystem::path& path,
                                                         const base::Clock& clock,
                                                         const OpenOptions& options = {});

 private:
  using SqlStore::SqlStore;
};

}  // namespace reckon::store
