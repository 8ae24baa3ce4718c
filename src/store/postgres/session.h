// Connecting to a PostgreSQL server, and what every connection of ours is set to.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "base/result.h"
#include "store/address.h"
#include "store/postgres/handles.h"

namespace reckon::store {

struct PostgresSession {
  PostgresHandle handle;
  std::string schema;      // where our tables are
  int64_t schema_oid = 0;  // its number
};

// Connects within the URL's connect_timeout (10 s unless given), and again while the server says
// that it is starting, for up to `patience`; locks are waited for as long. kUnavailable: the server
// is away. kBadInput: the address, the user or the password are wrong, or the database is none that
// can hold a store. kNotFound: no such database or schema.
base::Result<PostgresSession> Connect(const StoreAddress& address,
                                      std::chrono::milliseconds patience);

}  // namespace reckon::store
