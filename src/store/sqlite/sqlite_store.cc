#include "store/sqlite/sqlite_store.h"

#include <utility>

#include "store/sqlite/connection.h"
#include "store/sqlite/migrate.h"
#include "store/sqlite/store_file.h"

namespace reckon::store {

base::Result<std::unique_ptr<SqliteStore>> SqliteStore::Open(const std::filesystem::path& path,
                                                             const base::Clock& clock,
                                                             const OpenOptions& options) {
  RECKON_TRY(CheckStoreFile(path));
  RECKON_ASSIGN(auto connection, SqliteConnection::Open(path, options));
  // The log comes after the first migration, so that the file carries our id before it has a log.
  RECKON_TRY(Migrate(*connection, SqliteMigrations()));
  RECKON_TRY(connection->UseWriteAheadLog());
  return std::unique_ptr<SqliteStore>(new SqliteStore(std::move(connection), clock));
}

}  // namespace reckon::store
