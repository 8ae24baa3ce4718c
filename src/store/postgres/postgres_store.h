// The Store in a PostgreSQL database, for teams: several machines share it.
#pragma once

#include <memory>

#include "base/clock.h"
#include "store/address.h"
#include "store/open_options.h"
#include "store/sql/sql_store.h"

namespace reckon::store {

// Writers wait for each other up to the busy timeout, readers for nobody. When the server was away,
// the next call connects anew.
class PostgresStore final : public SqlStore {
 public:
  // Connects, makes the tables if there are none, and migrates them to this program's schema. The
  // clock outlives the store. Besides the errors of every call: kUnavailable when the server is
  // away, kBadInput for an address or a password that is wrong, a database in another encoding or a
  // store of a newer program, kNotFound when the database, or without `create` the store in it,
  // does not exist, kCorrupt when the schema holds something else (which stays as it is).
  static base::Result<std::unique_ptr<PostgresStore>> Open(const StoreAddress& address,
                                                           const base::Clock& clock,
                                                           const OpenOptions& options = {});

 private:
  using SqlStore::SqlStore;
};

}  // namespace reckon::store
