// What libpq gives out, owned.
#pragma once

#include <memory>

#include <libpq-fe.h>

namespace reckon::store {

struct PostgresDeleter {
  void operator()(PGconn* connection) const { PQfinish(connection); }
  void operator()(PGresult* result) const { PQclear(result); }
  void operator()(PQconninfoOption* options) const { PQconninfoFree(options); }
};

using PostgresHandle = std::unique_ptr<PGconn, PostgresDeleter>;
using PostgresResult = std::unique_ptr<PGresult, PostgresDeleter>;
using PostgresOptions = std::unique_ptr<PQconninfoOption, PostgresDeleter>;

}  // namespace reckon::store
