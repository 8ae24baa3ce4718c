// Brings a store of any earlier version up to this program's.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/result.h"

namespace reckon::store {

class SqliteConnection;

// One step of the schema. The n-th (from 1) takes a store from version n - 1 to n.
struct Migration {
  std::string name;
  std::string sql;
};

// src/store/migrations/*.sql in order, compiled in by cmake/EmbedSql.cmake.
std::vector<Migration> BuiltInMigrations();

// Each migration is one transaction under the write lock: a failure or a crash leaves the version
// before it, and of several processes that start at once one migrates while the others wait. They
// run with foreign keys off, so that tables can be rebuilt; no reference may dangle at the end.
// kBadInput: a newer program wrote the store. kCorrupt: the file belongs to another program.
base::Status Migrate(SqliteConnection& connection, std::span<const Migration> migrations);

}  // namespace reckon::store
