// A transaction that is rolled back unless it was committed.
#pragma once

#include "base/result.h"

namespace reckon::store {

class SqliteConnection;

// Not thread-safe; not nested. The connection outlives it.
class SqliteTransaction {
 public:
  // Takes the write lock at once (and waits for it), so that what is read inside still holds when
  // it writes.
  static base::Result<SqliteTransaction> BeginWrite(SqliteConnection& connection);
  // Several reads of one and the same state.
  static base::Result<SqliteTransaction> BeginRead(SqliteConnection& connection);

  ~SqliteTransaction();
  SqliteTransaction(SqliteTransaction&& other) noexcept;
  SqliteTransaction& operator=(SqliteTransaction&&) = delete;
  SqliteTransaction(const SqliteTransaction&) = delete;
  SqliteTransaction& operator=(const SqliteTransaction&) = delete;

  // On success everything is on disk.
  base::Status Commit();

 private:
  explicit SqliteTransaction(SqliteConnection& connection) : connection_(&connection) {}

  SqliteConnection* connection_;  // null once over
};

}  // namespace reckon::store
