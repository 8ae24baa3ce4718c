// Brings a store in PostgreSQL of any earlier version up to this program's.
#pragma once

#include <cstdint>
#include <span>

#include "base/result.h"
#include "store/sql/migrate.h"

namespace reckon::store {

class PostgresConnection;

// As MigrateStore.
base::Status Migrate(PostgresConnection& connection, std::span<const Migration> migrations);

// 0: nothing is there. kCorrupt: something else is.
base::Result<int64_t> StoredVersion(PostgresConnection& connection);

}  // namespace reckon::store
