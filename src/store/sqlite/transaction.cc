#include "store/sqlite/transaction.h"

#include <utility>

#include "store/sqlite/connection.h"

namespace reckon::store {

base::Result<SqliteTransaction> SqliteTransaction::BeginWrite(SqliteConnection& connection) {
  RECKON_CHECK(!connection.InTransaction());
  RECKON_ASSIGN(SqliteStatement begin, connection.Prepare("BEGIN IMMEDIATE"));
  RECKON_TRY(begin.Run());
  return SqliteTransaction(connection);
}

base::Result<SqliteTransaction> SqliteTransaction::BeginRead(SqliteConnection& connection) {
  RECKON_CHECK(!connection.InTransaction());
  RECKON_ASSIGN(SqliteStatement begin, connection.Prepare("BEGIN"));
  RECKON_TRY(begin.Run());
  return SqliteTransaction(connection);
}

SqliteTransaction::SqliteTransaction(SqliteTransaction&& other) noexcept
    : connection_(std::exchange(other.connection_, nullptr)) {}

SqliteTransaction::~SqliteTransaction() {
  // A full disk or a failed write has SQLite roll back by itself.
  if (connection_ == nullptr || !connection_->InTransaction()) return;
  // Needs no disk: what was not committed counts as never written, even if this fails.
  if (auto rollback = connection_->Prepare("ROLLBACK"); rollback.ok()) {
    (void)rollback->Run().ok();
  }
}

base::Status SqliteTransaction::Commit() {
  RECKON_CHECK(connection_ != nullptr);
  RECKON_ASSIGN(SqliteStatement commit, connection_->Prepare("COMMIT"));
  RECKON_TRY(commit.Run());
  connection_ = nullptr;
  return {};
}

}  // namespace reckon::store
