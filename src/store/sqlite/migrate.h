// Brings a SQLite file of any earlier version up to this program's.
#pragma once

#include <span>

#include "base/result.h"
#include "store/sql/migrate.h"

namespace reckon::store {

class SqliteConnection;

// As MigrateStore. Migrations run with foreign keys off, so that tables can be rebuilt; no
// reference may dangle at the end.
base::Status Migrate(SqliteConnection& connection, std::span<const Migration> migrations);

}  // namespace reckon::store
