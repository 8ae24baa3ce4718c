// Brings a store of any earlier version up to this program's, whatever database it is in.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"

namespace reckon::store {

// One step of the schema. The n-th (from 1) takes a store from version n - 1 to n.
struct Migration {
  std::string name;
  std::string sql;
};

// src/store/migrations/TECHNOLOGY/*.sql in order, compiled in by cmake/EmbedSql.cmake. The same
// version is the same schema in each.
std::vector<Migration> SqliteMigrations();
std::vector<Migration> PostgresMigrations();

// What a technology knows of the version of a store.
class SchemaKeeper {
 public:
  virtual ~SchemaKeeper() = default;
  // 0: nothing is there yet. kCorrupt: it belongs to another program.
  virtual base::Result<int64_t> Version() = 0;
  // One transaction under the write lock. Does nothing when the store is no longer at `version`:
  // then somebody else did it.
  virtual base::Status ApplyFrom(int64_t version, const Migration& migration) = 0;
};

// Each migration is one transaction under the write lock: a failure or a crash leaves the version
// before it, and of several processes that start at once one migrates while the others wait.
// kBadInput: a newer program wrote the store. kCorrupt: it belongs to another program.
base::Status MigrateStore(SchemaKeeper& keeper, const std::string& store,
                          std::span<const Migration> migrations);

}  // namespace reckon::store
