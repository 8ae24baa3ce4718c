#include "store/open.h"

#include <utility>

#include "store/postgres/postgres_store.h"
#include "store/sqlite/sqlite_store.h"

namespace reckon::store {

base::Result<std::unique_ptr<Store>> Open(const StoreAddress& address, const base::Clock& clock,
                                          const OpenOptions& options) {
  if (address.IsPostgres()) {
    RECKON_ASSIGN(std::unique_ptr<Store> store, PostgresStore::Open(address, clock, options));
    return store;
  }
  RECKON_ASSIGN(std::unique_ptr<Store> store, SqliteStore::Open(address.text(), clock, options));
  return store;
}

}  // namespace reckon::store
