#include "store/postgres/postgres_store.h"

#include <utility>

#include <fmt/format.h>

#include "store/postgres/connection.h"
#include "store/postgres/migrate.h"

namespace reckon::store {

base::Result<std::unique_ptr<PostgresStore>> PostgresStore::Open(const StoreAddress& address,
                                                                 const base::Clock& clock,
                                                                 const OpenOptions& options) {
  RECKON_ASSIGN(auto connection, PostgresConnection::Open(address, options));
  if (!options.create) {
    RECKON_ASSIGN(const int64_t version, StoredVersion(*connection));
    if (version == 0) {
      return base::Error(
          base::ErrorCode::kNotFound,
          fmt::format("cannot open store '{}': there is none in that database, and none was made",
                      address.name()));
    }
  }
  RECKON_TRY(Migrate(*connection, PostgresMigrations()));
  return std::unique_ptr<PostgresStore>(new PostgresStore(std::move(connection), clock));
}

}  // namespace reckon::store
