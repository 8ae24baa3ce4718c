#include "store/sql/transaction.h"

#include <utility>

#include "store/sql/connection.h"

namespace reckon::store {

base::Result<SqlTransaction> SqlTransaction::BeginWrite(SqlConnection& connection) {
  RECKON_CHECK(!connection.InTransaction());
  RECKON_TRY(connection.BeginWrite());
  return SqlTransaction(connection);
}

base::Result<SqlTransaction> SqlTransaction::BeginRead(SqlConnection& connection) {
  RECKON_CHECK(!connection.InTransaction());
  RECKON_TRY(connection.BeginRead());
  return SqlTransaction(connection);
}

SqlTransaction::SqlTransaction(SqlTransaction&& other) noexcept
    : connection_(std::exchange(other.connection_, nullptr)) {}

SqlTransaction::~SqlTransaction() {
  // Some failures have the database roll back by itself.
  if (connection_ == nullptr || !connection_->InTransaction()) return;
  connection_->Rollback();
}

base::Status SqlTransaction::Commit() {
  RECKON_CHECK(connection_ != nullptr);
  RECKON_TRY(connection_->Commit());
  connection_ = nullptr;
  return {};
}

}  // namespace reckon::store
