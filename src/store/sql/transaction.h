// A transaction that is rolled back unless it was committed.
#pragma once

#include "base/result.h"

namespace reckon::store {

class SqlConnection;

// Not thread-safe; not nested. The connection outlives it.
class SqlTransaction {
 public:
  // Takes the store's write lock at once (and waits for it), so that what is read inside still
  // holds when it writes, and ids are given in the order of commits.
  static base::Result<SqlTransaction> BeginWrite(SqlConnection& connection);
  // Several reads of one and the same state.
  static base::Result<SqlTransaction> BeginRead(SqlConnection& connection);

  ~SqlTransaction();
  SqlTransaction(SqlTransaction&& other) noexcept;
  SqlTransaction& operator=(SqlTransaction&&) = delete;
  SqlTransaction(const SqlTransaction&) = delete;
  SqlTransaction& operator=(const SqlTransaction&) = delete;

  // On success everything is on disk.
  base::Status Commit();

 private:
  explicit SqlTransaction(SqlConnection& connection) : connection_(&connection) {}

  SqlConnection* connection_;  // null once over
};

}  // namespace reckon::store
